// Translators: searches, scores, alignments and explanations.
#include <algorithm>

#include "data/tokenizers/vocabulary.h"
#include "decode/alignment.h"
#include "module/runs/bind.h"
#include "module/runs/opened.h"
#include "train/report/figures/attention_figure.h"
#include "train/report/pages/explain_page.h"
#include "train/tasks/translation/decoding.h"
#include "train/tasks/translation/parts.h"
#include "train/tasks/translation/scoring.h"
#include "train/tasks/translation/sentence_explanation.h"
#include "train/tasks/translation/settings.h"
#include "train/tasks/translation/text_search.h"
#include "train/tasks/translation/texts.h"
#include "train/tasks/translation/word_alignment.h"

namespace calque::python {
namespace {

using Ids = std::vector<int32_t>;

// Several runs form an ensemble.
struct OpenTranslator {
  std::vector<TranslationRun> runs;
  std::vector<Translator> models;

  const TranslationRun& first() const { return runs.front(); }
};

OpenTranslator open_translator(const std::vector<std::string>& folders,
                               const std::string& precision) {
  std::vector<RunPlace> places;
  for (const std::string& folder : folders) places.push_back(place_of(folder, precision));
  // The languages are chosen by translating_between().
  OpenTranslator opened{open_translation_runs(places, std::nullopt), {}};
  opened.models = models_of(opened.runs);
  return opened;
}

// The same models, to translate between these languages.
OpenTranslator translating_between(const OpenTranslator& translator, const std::string& from,
                                   const std::string& to) {
  OpenTranslator chosen{translating(translator.runs, {from, to}), {}};
  chosen.models = models_of(chosen.runs);
  return chosen;
}

std::vector<std::pair<std::string, std::string>> language_pairs_of(
    const OpenTranslator& translator) {
  std::vector<std::pair<std::string, std::string>> pairs;
  const TranslationRun& run = translator.first();
  for (const LanguagePair& pair : pairs_of_run(run.config, run.tokenizers.source)) {
    pairs.emplace_back(pair.source, pair.target);
  }
  return pairs;
}

// How to search, and what to return beside the texts.
struct TranslationRequest {
  TextSearch search;
  bool alignment = false, attention = false;
};

TranslationRequest request_of(const OpenTranslator& translator, const DecodingChoice& choice,
                              const std::optional<Sampling>& sampling, bool alignment,
                              bool attention, const std::optional<Glossary>& glossary) {
  const DecodingConfig decoding = decoding_of(translator.first(), choice);
  TranslationRequest request{text_search(decoding), alignment, attention};
  if (glossary) {
    request.search.terms = term_use(translator.runs, std::make_shared<const Glossary>(*glossary),
                                    decoding.force_terms);
  }
  limit_sources(translator.first(), request.search);
  request.search.sampling = sampling;
  return request;
}

void require_no_objection(const OpenTranslator& translator, const std::vector<std::string>& texts,
                          PairSide side) {
  const char* what = side == PairSide::source ? "text" : "prefix";
  require_texts(texts, what);
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string objection = objection_to(translator.runs, texts[i], side);
    if (!objection.empty()) fail("{} {}: {}", what, i, objection);
  }
}

// The attention of the k-th translation. That of a text in parts has zeros between tokens of
// different parts.
ExplainedMatrix attention_of(const OpenTranslator& translator, const FoundTranslations& found,
                             size_t k) {
  const Ids& written = found.best[k].ids;
  ExplainedMatrix whole{std::ssize(written), std::ssize(found.source), {}};
  whole.values.resize(written.size() * found.source.size());
  if (found.source.empty()) return whole;
  int64_t row = 0, column = 0;
  for (const ExplainedMatrix& part : attention_to_sources(
           translator.first().model(), divided(found.source, found.source_ends),
           divided(written, found.target_ends[k]), translator.first().tokenizers.before_source)) {
    for (int64_t i = 0; i < part.rows; ++i) {
      std::copy_n(part.values.begin() + i * part.columns, part.columns,
                  whole.values.begin() + (row + i) * whole.columns + column);
    }
    row += part.rows, column += part.columns;
  }
  return whole;
}

// What is computed of one translation.
struct Found {
  const Hypothesis* hypothesis;
  std::string text;
  std::optional<AlignedWords> words;
  std::optional<ExplainedMatrix> attention;
};

py::dict to_python(const OpenTranslator& translator, const Found& found) {
  const auto& tokenizer = translator.first().tokenizers.target;
  py::dict result;
  py::list tokens;
  for (const int32_t id : found.hypothesis->ids) tokens.append(tokenizer.symbol(id));
  result["text"] = found.text;
  result["tokens"] = tokens;
  result["score"] = found.hypothesis->score;
  result["log_probability"] = found.hypothesis->log_probability;
  if (found.words) result["alignment"] = found.words->links;
  if (found.attention) {
    const ExplainedMatrix& matrix_of = *found.attention;
    result["attention"] = matrix(matrix_of.rows, matrix_of.columns, matrix_of.values);
  }
  return result;
}

// The translations of each source as (source tokens, [translations]).
py::list translate_ids(const OpenTranslator& translator, const TranslationRequest& request,
                       std::vector<Ids> sources, const std::vector<Ids>& prefixes,
                       int64_t first_number, py::object done) {
  const Watch watch(std::move(done));
  std::vector<FoundTranslations> all;
  std::vector<std::vector<Found>> results;
  without_gil([&] {
    all = search_sources(translator.models, translator.first().tokenizers, std::move(sources),
                         request.search, prefixes, first_number, watch.function());
    for (const FoundTranslations& found : all) {
      std::vector<Found>& own = results.emplace_back();
      for (size_t k = 0; k < found.best.size(); ++k) {
        own.push_back({&found.best[k],
                       translator.first().tokenizers.target.decode(found.best[k].ids),
                       {},
                       {}});
        if (request.alignment) own.back().words = align_words(translator.first(), found, k);
        if (request.attention) own.back().attention = attention_of(translator, found, k);
      }
    }
    return 0;
  });
  py::list list;
  for (size_t i = 0; i < all.size(); ++i) {
    py::list tokens, translations;
    for (const int32_t id : all[i].source) {
      tokens.append(translator.first().tokenizers.source.symbol(id));
    }
    for (const Found& found : results[i]) translations.append(to_python(translator, found));
    list.append(py::make_tuple(tokens, translations));
  }
  return list;
}

py::list translate_texts_of(const OpenTranslator& translator, const TranslationRequest& request,
                            const std::vector<std::string>& texts,
                            const std::vector<std::string>& prefixes, int64_t first_number,
                            py::object done) {
  std::vector<Ids> sources, beginnings;
  without_gil([&] {
    require_no_objection(translator, texts, PairSide::source);
    require_no_objection(translator, prefixes, PairSide::target);
    const Tokenizers& both = translator.first().tokenizers;
    for (const std::string& text : texts) {
      sources.push_back(source_tokens(both, text, request.search));
    }
    for (const std::string& text : prefixes) beginnings.push_back(both.target.encode(text));
    return 0;
  });
  return translate_ids(translator, request, std::move(sources), beginnings, first_number,
                       std::move(done));
}

std::vector<std::string> translate_paragraphs(const OpenTranslator& translator,
                                              const TranslationRequest& request,
                                              const std::vector<std::string>& texts,
                                              int64_t first_number) {
  return without_gil([&] {
    require_texts(texts, "text");
    TextTranslator paragraphs(translator.runs, request.search);
    for (size_t i = 0; i < texts.size(); ++i) {
      const std::string objection = paragraphs.objection(texts[i]);
      if (!objection.empty()) fail("text {}: {}", i, objection);
    }
    return paragraphs.translate(texts, first_number, TextTranslator::Order::independent);
  });
}

std::vector<SequenceScore> score_of_pairs(const OpenTranslator& translator,
                                          const std::vector<std::string>& sources,
                                          const std::vector<std::string>& targets) {
  return without_gil([&] {
    return score_texts(translator.first(), sources, targets, [](PairSide side, size_t pair) {
      return fmt::format("{} {}", side == PairSide::source ? "source" : "target", pair);
    });
  });
}

std::vector<SequenceScore> score_ids(const OpenTranslator& translator,
                                     const std::vector<Ids>& sources,
                                     const std::vector<Ids>& targets) {
  return without_gil([&] { return score_pairs(translator.first().model(), sources, targets); });
}

std::vector<AlignedWords> align(const OpenTranslator& translator,
                                const std::vector<std::string>& sources,
                                const std::vector<std::string>& targets) {
  return without_gil([&] {
    require_no_objection(translator, sources, PairSide::source);
    require_texts(targets, "target");
    const Tokenizers& both = translator.first().tokenizers;
    std::vector<Ids> from, to;
    for (const std::string& text : sources) from.push_back(both.source.encode(text));
    for (const std::string& text : targets) to.push_back(both.target.encode(text));
    return align_words(translator.first(), from, to);
  });
}

Explanation explained(const OpenTranslator& translator, const std::string& text, int64_t beam) {
  return without_gil([&] {
    return explain_sentence(translator.first(), text,
                            decoding_of(translator.first(), {{}, beam, 1}));
  });
}

// The figure of an attention between tokens.
std::string attention_svg(const std::vector<std::string>& source,
                          const std::vector<std::string>& target,
                          const std::vector<float>& weights) {
  Explanation explanation;
  const auto add = [&](const std::vector<std::string>& tokens, Ids& ids) {
    for (const std::string& token : tokens) {
      ids.push_back(static_cast<int32_t>(explanation.vocabulary.size()));
      explanation.vocabulary.push_back(token);
    }
  };
  add(source, explanation.source_tokens);
  add(target, explanation.target_tokens);
  const size_t vocabulary = explanation.vocabulary.size();
  explanation.logits.assign(target.size(), std::vector<float>(vocabulary));
  explanation.cross = {{0, 0, {std::ssize(target), std::ssize(source), weights}}};
  return cross_attention_svg(explanation, {{}, {}, "Attention to the text, mean of the heads"});
}

}  // namespace

// Throws an Error for a text that is no term.
Glossary glossary_of(const std::vector<std::pair<std::string, std::vector<std::string>>>& terms) {
  std::vector<Term> checked;
  for (const auto& [source, targets] : terms) {
    std::vector<std::string> texts = {source};
    texts.insert(texts.end(), targets.begin(), targets.end());
    for (const std::string& text : texts) {
      const std::string objection = objection_to_term(text);
      if (!objection.empty()) fail("glossary: '{}' {}", text, objection);
    }
    if (targets.empty()) fail("glossary: '{}' has no translation", source);
    checked.push_back({source, targets});
  }
  if (checked.empty()) fail("glossary: has no terms");
  return Glossary(checked);
}

void bind_translation(py::module_& module) {
  py::class_<Glossary>(module, "Glossary").def(py::init(&glossary_of));
  module.def("read_glossary", &read_glossary, py::call_guard<py::gil_scoped_release>());
  py::class_<TranslationRequest>(module, "TranslationRequest")
      .def("warning", [](const TranslationRequest& request, int64_t tokens) {
        return long_source_warning(tokens, request.search);
      });
  py::class_<SequenceScore>(module, "SequenceScore")
      .def_readonly("log_probability", &SequenceScore::log_probability)
      .def_readonly("tokens", &SequenceScore::tokens)
      .def_readonly("of_tokens", &SequenceScore::of_tokens);
  py::class_<AlignedWords>(module, "AlignedWords")
      .def_readonly("source", &AlignedWords::source)
      .def_readonly("target", &AlignedWords::target)
      .def_readonly("links", &AlignedWords::links);
  py::class_<OpenTranslator>(module, "OpenTranslator")
      .def(py::init(&open_translator), py::arg("runs"), py::arg("precision"),
           py::call_guard<py::gil_scoped_release>())
      .def("about",
           [](const OpenTranslator& translator) { return description_of(translator.first()); })
      .def("between", &translating_between)
      .def("language_pairs", &language_pairs_of)
      .def("symbols",
           [](const OpenTranslator& translator) {
             const Tokenizers& both = translator.first().tokenizers;
             return std::pair(symbols_of(both.source), symbols_of(both.target));
           })
      .def("encode",
           [](const OpenTranslator& translator, const std::string& text) {
             return translator.first().tokenizers.source.encode(text);
           })
      .def(
          "request",
          [](const OpenTranslator& translator, const std::vector<std::string>& settings,
             int64_t beam, int64_t n_best, const std::optional<Sampling>& sampling, bool alignment,
             bool attention, const std::optional<Glossary>& glossary) {
            return request_of(translator, {settings, beam, n_best}, sampling, alignment, attention,
                              glossary);
          },
          py::arg("settings"), py::arg("beam"), py::arg("n_best"), py::arg("sampling"),
          py::arg("alignment"), py::arg("attention"), py::arg("glossary") = std::nullopt)
      .def("translate", &translate_texts_of)
      .def("translate_ids", &translate_ids)
      .def("translate_text", &translate_paragraphs)
      .def("score", &score_of_pairs)
      .def("score_ids", &score_ids)
      .def("align", &align)
      .def("explain", &explained);
  py::class_<Explanation>(module, "Explanation")
      .def("page", [](const Explanation& explanation) { return explain_page(explanation); })
      .def("json", [](const Explanation& explanation) { return explanation_json(explanation); })
      .def("svg",
           [](const Explanation& explanation) { return cross_attention_svg(explanation, {}); })
      .def_readonly("input", &Explanation::source)
      .def_readonly("output", &Explanation::translation);
  module.def("attention_svg", &attention_svg);
}

}  // namespace calque::python
