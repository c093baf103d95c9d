// LibreTranslate's route /translate.

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "data/placeholders/kept_batch.h"
#include "serve/http/error.h"
#include "serve/request_glossary.h"
#include "serve/request_texts.h"
#include "serve/service.h"
#include "train/tasks/translation/context.h"

namespace calque {
namespace {

using nlohmann::json;

// The translator of a request, and the detected source language if the request names neither a
// source language nor a model.
struct Choice {
  const ServedTranslator* translator = nullptr;
  std::optional<LanguageDetector::Guess> detected = {};
};

// "en to de, de to en".
std::string pairs_of(const ServedRuns& runs) {
  std::vector<std::string> pairs;
  for (const ServedTranslator& each : runs.translators) {
    pairs.push_back(each.source + " to " + each.target);
  }
  return fmt::format("{}", fmt::join(pairs, ", "));
}

// Returns the source language of the texts: the only one that is translated to the target, or else
// the most probable one. All texts of a list have the same source language.
LanguageDetector::Guess guess_source(const ServedRuns& runs, const std::string& target,
                                     const std::vector<std::string>& texts) {
  std::set<std::string> sources;
  for (const ServedTranslator& each : runs.translators) {
    if (each.target == target) sources.insert(each.source);
  }
  if (sources.empty()) refuse(400, "{} is not supported, but {}", target, pairs_of(runs));
  if (sources.size() == 1) return {*sources.begin(), 100};
  if (!std::ranges::all_of(sources, [&](const auto& each) { return runs.detector.knows(each); })) {
    refuse(400, "several languages are translated to {}; name the source", target);
  }
  std::string all;
  for (const std::string& text : texts) all += text + "\n";
  return runs.detector.detect(all, sources).front();
}

Choice translator_for(const ServedRuns& runs, const Fields& fields,
                      const std::vector<std::string>& texts) {
  Choice choice;
  if (fields.has("model")) {
    const std::string name = fields.text("model");
    for (const ServedTranslator& each : runs.translators) {
      if (each.name == name) return {.translator = &each};
    }
    refuse(404, "no translator is named {}", name);
  }
  std::string source = fields.text_or("source", "auto");
  const std::string target = fields.text("target");
  if (source == "auto") {
    choice.detected = guess_source(runs, target, texts);
    source = choice.detected->language;
  }
  choice.translator = runs.translator(source, target);
  if (!choice.translator) {
    refuse(400, "{} to {} is not supported, but {}", source, target, pairs_of(runs));
  }
  return choice;
}

// The tokens of each sentence.
std::vector<QueuedWork::Sentence> encoded(const ServedTranslator& translator,
                                          const TextSearch& search,
                                          const std::vector<std::string>& sentences) {
  const int64_t most = translator.run.model().learned_positions();
  std::vector<QueuedWork::Sentence> all;
  for (const std::string& sentence : sentences) {
    all.push_back(source_tokens(translator.run.tokenizers, sentence, search));
    const int64_t tokens = std::ssize(translator.run.tokenizers.read(all.back())) + 1;
    if (most > 0 && tokens > most) {
      refuse(400, "a sentence has {} tokens, but the model has learned {} positions; split it",
             tokens, most);
    }
  }
  return all;
}

// A text for each sentence that is longer than those that the model was trained on, and one if the
// request has terms that the model cannot write.
json warnings_of(const ServedTranslator& translator, const TextSearch& search,
                 std::span<const QueuedWork::Sentence> sentences) {
  json warnings = json::array();
  const std::string terms = search.terms.glossary == translator.options.terms.glossary
                                ? ""
                                : unwritable_terms(search.terms, translator.run.tokenizers.target);
  if (!terms.empty()) warnings.push_back("glossary: " + terms);
  for (size_t i = 0; i < sentences.size(); ++i) {
    const std::string warning = long_source_warning(std::ssize(sentences[i]), translator.options);
    if (!warning.empty()) warnings.push_back(fmt::format("sentence {}: {}", i + 1, warning));
  }
  return warnings;
}

json answer_of(const std::vector<std::vector<std::string>>& texts, bool list, bool alternatives) {
  json best = json::array(), others = json::array();
  for (const std::vector<std::string>& found : texts) {
    best.push_back(found.front());
    json own = json::array();
    for (size_t k = 1; k < found.size(); ++k) {
      if (found[k] != found.front()) own.push_back(found[k]);
    }
    others.push_back(own);
  }
  json answer = {{"translatedText", list ? best : best[0]}};
  if (alternatives) answer["alternatives"] = list ? others : others[0];
  return answer;
}

TextFormat format_of(const Fields& fields) {
  const std::string name = fields.text_or("format", "text");
  if (name != "text" && name != "html") refuse(400, "format: must be text or html");
  return name == "html" ? TextFormat::html : TextFormat::text;
}

}  // namespace

void answer_translate(Service& service, const Fields& fields, const Answer& answer) {
  const std::vector<std::string> given = fields.texts("q");
  const bool list = fields.is_list("q");
  service.check_characters(given);
  const Choice choice = translator_for(service.runs(), fields, given);
  const ServedTranslator& translator = *choice.translator;
  const int64_t alternatives =
      fields.whole_or("alternatives", 0, 0, service.options().alternatives);
  const bool split = fields.flag_or("split_sentences", true);
  const RequestTexts texts(given, format_of(fields), translator, split);
  const std::vector<std::string> sentences = texts.sentences();
  if (const int64_t most = service.options().sentences; std::ssize(sentences) > most) {
    refuse(400, "{} sentences; a request may have at most {}", sentences.size(), most);
  }
  const KeptBatch kept(sentences, texts.kinds());
  const TextSearch search = search_of(translator, fields);
  std::vector<std::string> inputs = kept.inputs();
  if (search.preceding > 0) {
    const std::vector<std::string> whole = texts.with_context(search.preceding);
    for (size_t i = 0; i < whole.size(); ++i) {
      inputs[i] = std::string(context_of(whole[i])) + inputs[i];
    }
  }
  std::vector<QueuedWork::Sentence> tokens = encoded(translator, search, inputs);
  const json warnings = warnings_of(translator, search, std::span(tokens).first(sentences.size()));
  const auto done = [=](const std::vector<std::vector<std::string>>& found) {
    json result = answer_of(texts.joined(kept.chosen(found)), list, alternatives > 0);
    if (!warnings.empty()) result["warnings"] = warnings;
    if (choice.detected) {
      const json detected = {{"confidence", std::round(choice.detected->confidence * 10) / 10},
                             {"language", choice.detected->language}};
      result["detectedLanguage"] =
          list ? json(std::vector<json>(given.size(), detected)) : detected;
    }
    answer.json(result);
  };
  if (sentences.empty()) return done({});
  QueuedWork work;
  work.group = translator.name + " " + std::to_string(alternatives) + glossary_group(search);
  work.translate = [&translator, search, alternatives](std::span<const QueuedWork::Sentence> some) {
    return translations(translator, search, 1 + alternatives, some);
  };
  work.sentences = std::move(tokens);
  work.done = done;
  service.enqueue(std::move(work), answer);
}

}  // namespace calque
