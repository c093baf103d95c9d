// Calque's own routes for models of text: /explain, /score, /align and /confidence.

#include <algorithm>
#include <functional>
#include <optional>
#include <ranges>

#include "data/text/trimmed.h"
#include "decode/score.h"
#include "serve/served_task.h"
#include "train/report/pages/explain_page.h"
#include "train/tasks/language_model/prompt_explanation.h"
#include "train/tasks/language_model/prompt_inspection.h"
#include "train/tasks/translation/confidence/confidence.h"
#include "train/tasks/translation/sentence_explanation.h"
#include "train/tasks/translation/word_alignment.h"

namespace calque {
namespace {

using nlohmann::json;

bool names(const auto& runs, const Fields& fields) {
  return fields.has("model") && std::ranges::any_of(runs, [&](const auto& each) {
           return each.name == fields.text("model");
         });
}

// The size of an explanation grows with the square of the number of tokens.
void check_explained(const Service& service, int64_t tokens) {
  const int64_t most = service.options().explained_tokens;
  if (tokens > most) refuse(400, "text: has {} tokens; at most {} are explained", tokens, most);
}

// What is between commas, without spaces around it.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (const auto part : std::views::split(std::string_view(text), ',')) {
    const std::string_view own = trimmed({part.begin(), part.end()}, " ");
    if (!own.empty()) parts.emplace_back(own);
  }
  return parts;
}

// The texts of a field, parsed; none if it is absent. A text may have several, between commas.
template <class Value>
std::vector<Value> parsed(const Fields& fields, const char* name,
                          Value (&parse)(const std::string&)) {
  std::vector<Value> values;
  if (!fields.has(name)) return values;
  for (const std::string& text : fields.texts(name)) {
    for (const std::string& part : parts_of(text)) {
      try {
        values.push_back(parse(part));
      } catch (const Error& error) {
        refuse(400, "{}: {}", name, error.what());
      }
    }
  }
  return values;
}

// What is wanted beside the explanation of a language model, if anything.
std::optional<InspectionChoice> inspection_choice(const Service& service, const Fields& fields) {
  InspectionChoice choice{.against = fields.text_or("against", ""),
                          .without = parsed(fields, "without_heads", parse_head),
                          .steering = parsed(fields, "steer", parse_steering)};
  service.check_characters({&choice.against, 1});
  const bool changes =
      !choice.against.empty() || !choice.without.empty() || !choice.steering.empty();
  if (!changes && !fields.flag_or("inspect", false)) return {};
  return choice;
}

struct Explained {
  Explanation explanation;
  std::optional<Inspection> inspection = {};
};

Explained explain_language_model(const LanguageModelRun& run, const std::string& text,
                                 const std::optional<InspectionChoice>& choice) {
  Explained explained{explain_prompt(run, text)};
  if (choice) explained.inspection = inspect_prompt(run, explained.explanation, *choice);
  return explained;
}

// Texts and their translations as tokens.
struct Pairs {
  const ServedTranslator* translator = nullptr;
  std::vector<std::vector<int32_t>> from = {}, to = {};
  bool list = false;
  int64_t cost = 1;
};

Pairs pairs_of(const Service& service, const Fields& fields) {
  Pairs pairs{.translator = &chosen(service.runs().translators, fields, "translator"),
              .list = fields.is_list("source")};
  const std::vector<std::string> sources = fields.texts("source"), targets = fields.texts("target");
  if (sources.size() != targets.size()) {
    refuse(400, "target: has {} texts, but source has {}", targets.size(), sources.size());
  }
  service.check_characters(sources);
  service.check_characters(targets);
  const TranslationRun& run = pairs.translator->run;
  const int64_t most = run.model().learned_positions();
  for (size_t i = 0; i < sources.size(); ++i) {
    pairs.from.push_back(run.tokenizers.source.encode(sources[i]));
    pairs.to.push_back(run.tokenizers.target.encode(targets[i]));
    const int64_t from = std::ssize(run.tokenizers.read(pairs.from.back()));
    const int64_t to = std::ssize(pairs.to.back());
    pairs.cost += from + to;
    if (most > 0 && std::max(from, to) >= most) {
      refuse(400, "pair {}: more tokens than the model's {} positions", i + 1, most);
    }
  }
  return pairs;
}

}  // namespace

// {"text": TEXT, "model": NAME, "beam": WIDTH, "format": "json" or "page"} -> what `calque explain`
// writes; of a language model with the inspection if {"inspect": true} or one of "against",
// "without_heads" and "steer" is given.
void answer_explain(Service& service, const Fields& fields, const Answer& answer) {
  const std::string text = fields.text("text"), format = fields.text_or("format", "json");
  service.check_characters({&text, 1});
  if (format != "json" && format != "page") refuse(400, "format: must be json or page");
  const ServedRuns& runs = service.runs();
  std::function<Explained()> explain;
  int64_t tokens = 0;
  const bool of_text =
      names(runs.language_models, fields) || (!fields.has("model") && runs.translators.empty());
  if (of_text) {
    const auto& served = chosen(runs.language_models, fields, "language model");
    tokens = std::ssize(served.run.tokenizer.encode_document(text));
    explain = [&served, text, choice = inspection_choice(service, fields)] {
      return explain_language_model(served.run, text, choice);
    };
  } else {
    const auto& served = chosen(runs.translators, fields, "translator");
    tokens = std::ssize(served.run.tokenizers.source.encode(text));
    DecodingConfig decoding = served.run.config.decoding;
    decoding.beam = fields.whole_or("beam", decoding.beam, 1, 1 + service.options().alternatives);
    explain = [&served, text, decoding] {
      return Explained{explain_sentence(served.run, text, decoding)};
    };
  }
  check_explained(service, tokens);
  QueuedWork work;
  work.cost = 1 + tokens;
  work.compute = [explain, format, answer] {
    Explained explained;
    try {
      explained = explain();
    } catch (const Error& error) {
      return answer.error(400, error.what());
    }
    const Inspection* const inspection = explained.inspection ? &*explained.inspection : nullptr;
    if (format == "json") {
      return answer.send(
          {200, "application/json", explanation_json(explained.explanation, inspection)});
    }
    answer.send({200, "text/html; charset=utf-8", explain_page(explained.explanation, inspection)});
  };
  service.enqueue(std::move(work), answer);
}

// Answers {"source": TEXT or [TEXTS], "target": the same} with the results of `compute`, one per
// pair.
void answer_pairs(Service& service, const Fields& fields, const Answer& answer,
                  const std::string& name, const std::function<json(const Pairs&)>& compute) {
  const Pairs pairs = pairs_of(service, fields);
  QueuedWork work;
  work.cost = pairs.cost;
  work.compute = [pairs, answer, name, compute] {
    const json found = compute(pairs);
    answer.json({{"model", pairs.translator->name}, {name, pairs.list ? found : found[0]}});
  };
  service.enqueue(std::move(work), answer);
}

// Answers the log-probability and the number of tokens of each target.
void answer_score(Service& service, const Fields& fields, const Answer& answer) {
  answer_pairs(service, fields, answer, "scores", [](const Pairs& pairs) {
    json scores = json::array();
    std::vector<std::vector<int32_t>> sources;
    for (const auto& each : pairs.from) {
      sources.push_back(pairs.translator->run.tokenizers.read(each));
    }
    for (const SequenceScore& score :
         score_pairs(pairs.translator->run.model(), sources, pairs.to)) {
      scores.push_back({{"log_probability", score.log_probability}, {"tokens", score.tokens}});
    }
    return scores;
  });
}

// Answers the words of each pair and, as links, pairs of the positions of aligned words.
void answer_align(Service& service, const Fields& fields, const Answer& answer) {
  answer_pairs(service, fields, answer, "alignments", [](const Pairs& pairs) {
    json alignments = json::array();
    for (const AlignedWords& each : align_words(pairs.translator->run, pairs.from, pairs.to)) {
      alignments.push_back(
          {{"source", each.source}, {"target", each.target}, {"links", each.links}});
    }
    return alignments;
  });
}

// Answers how probably each target, and each of its words, is right.
void answer_confidence(Service& service, const Fields& fields, const Answer& answer) {
  const ServedTranslator& translator = chosen(service.runs().translators, fields, "translator");
  if (!translator.calibration) {
    refuse(400, "{} has no confidence; run 'calque calibrate' on it", translator.name);
  }
  answer_pairs(service, fields, answer, "confidences", [&translator](const Pairs& pairs) {
    json all = json::array();
    for (const TextConfidence& text :
         confidences(translator.run, *translator.calibration, pairs.from, pairs.to)) {
      json words = json::array();
      for (const WordConfidence& word : text.words) {
        words.push_back({{"text", word.text}, {"confidence", word.confidence}});
      }
      all.push_back({{"confidence", text.confidence}, {"words", words}});
    }
    return all;
  });
}

}  // namespace calque
