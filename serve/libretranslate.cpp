// LibreTranslate's interface: /translate, /languages and /frontend/settings, as its clients use it.

#include <algorithm>
#include <map>

#include "data/text_lines.h"
#include "serve/http_error.h"
#include "serve/service.h"

namespace calque {
namespace {

using nlohmann::json;

std::string language_name(const std::string& code) {
  static const std::map<std::string, std::string> names = {
      {"ar", "Arabic"},     {"cs", "Czech"},    {"da", "Danish"},     {"de", "German"},
      {"el", "Greek"},      {"en", "English"},  {"es", "Spanish"},    {"fi", "Finnish"},
      {"fr", "French"},     {"he", "Hebrew"},   {"hi", "Hindi"},      {"hu", "Hungarian"},
      {"it", "Italian"},    {"ja", "Japanese"}, {"ko", "Korean"},     {"nl", "Dutch"},
      {"no", "Norwegian"},  {"pl", "Polish"},   {"pt", "Portuguese"}, {"ro", "Romanian"},
      {"ru", "Russian"},    {"sv", "Swedish"},  {"tr", "Turkish"},    {"uk", "Ukrainian"},
      {"vi", "Vietnamese"}, {"zh", "Chinese"}};
  const auto found = names.find(code);
  return found == names.end() ? code : found->second;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else if (c != '\r') {
      lines.back() += c;
    }
  }
  return lines;
}

// The translator for a request. `auto` is the only source that leads to the target.
const ServedTranslator& translator_for(const Service& service, const Fields& fields,
                                       bool& automatic) {
  const std::string source = fields.text_or("source", "auto"), target = fields.text("target");
  automatic = source == "auto";
  if (!automatic) {
    const ServedTranslator* found = service.runs().translator(source, target);
    if (!found) refuse(400, "{} to {} is not supported", source, target);
    return *found;
  }
  const ServedTranslator* only = nullptr;
  for (const ServedTranslator& each : service.runs().translators) {
    if (each.target != target) continue;
    if (only) refuse(400, "several languages are translated to {}; name the source", target);
    only = &each;
  }
  if (!only) refuse(400, "{} is not supported", target);
  return *only;
}

// The texts of a request in one list of sentences, and back.
struct Lines {
  std::vector<std::vector<std::string>> texts;  // [texts][lines]

  explicit Lines(const std::vector<std::string>& from) {
    for (const std::string& text : from) texts.push_back(lines_of(text));
  }
  std::vector<std::string> sentences() const {
    std::vector<std::string> all;
    for (const auto& lines : texts) all.insert(all.end(), lines.begin(), lines.end());
    return all;
  }
  // Of each text its best translations: number k joins the k-th best of its lines.
  std::vector<std::vector<std::string>> joined(
      const std::vector<std::vector<std::string>>& found) const {
    std::vector<std::vector<std::string>> results;
    size_t at = 0;
    for (const auto& lines : texts) {
      size_t count = 0;
      for (size_t i = 0; i < lines.size(); ++i) count = std::max(count, found[at + i].size());
      std::vector<std::string>& own = results.emplace_back(count);
      for (size_t i = 0; i < lines.size(); ++i, ++at) {
        for (size_t k = 0; k < count; ++k) {
          if (i > 0) own[k] += '\n';
          own[k] += found[at][std::min(k, found[at].size() - 1)];
        }
      }
    }
    return results;
  }
};

// The tokens of each sentence.
std::vector<QueuedWork::Sentence> encoded(const ServedTranslator& by,
                                          const std::vector<std::string>& sentences) {
  const int64_t most = by.run.model().learned_positions();
  std::vector<QueuedWork::Sentence> all;
  for (const std::string& sentence : sentences) {
    all.push_back(by.run.tokenizers.source.encode(sentence));
    if (const int64_t tokens = std::ssize(all.back()) + 1; most > 0 && tokens > most) {
      refuse(400, "a line has {} tokens, but the model has learned {} positions; split it", tokens,
             most);
    }
  }
  return all;
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

}  // namespace

void answer_translate(Service& service, const Fields& fields, const Answer& answer) {
  const std::vector<std::string> texts = fields.texts("q");
  const bool list = fields.is_list("q");
  bool automatic = false;
  const ServedTranslator& by = translator_for(service, fields, automatic);
  if (fields.text_or("format", "text") != "text") refuse(400, "format: only text is supported");
  const int64_t alternatives =
      fields.whole_or("alternatives", 0, 0, service.options().alternatives);
  if (texts.empty()) return answer.json({{"translatedText", json::array()}});
  const Lines lines(texts);
  const std::vector<std::string> sentences = lines.sentences();
  service.check_characters(texts);
  if (const int64_t most = service.options().sentences; std::ssize(sentences) > most) {
    refuse(400, "{} lines, more than the {} of a request", sentences.size(), most);
  }
  QueuedWork work;
  work.group = by.name + " " + std::to_string(alternatives);
  work.translate = [&by, alternatives](std::span<const QueuedWork::Sentence> some) {
    return translations(by, 1 + alternatives, some);
  };
  work.sentences = encoded(by, sentences);
  work.done = [=, source = by.source](const std::vector<std::vector<std::string>>& found) {
    json result = answer_of(lines.joined(found), list, alternatives > 0);
    if (automatic) {
      const json detected = {{"confidence", 100}, {"language", source}};
      result["detectedLanguage"] =
          list ? json(std::vector<json>(texts.size(), detected)) : detected;
    }
    answer.json(result);
  };
  service.enqueue(std::move(work), answer);
}

void answer_languages(Service& service, const Fields&, const Answer& answer) {
  std::map<std::string, json> targets;  // of each language, the targets only as well
  for (const ServedTranslator& each : service.runs().translators) {
    targets.try_emplace(each.target, json::array());
    targets.try_emplace(each.source, json::array()).first->second.push_back(each.target);
  }
  json languages = json::array();
  for (const auto& [code, to] : targets) {
    languages.push_back({{"code", code}, {"name", language_name(code)}, {"targets", to}});
  }
  answer.json(languages);
}

void answer_settings(Service& service, const Fields&, const Answer& answer) {
  const auto language = [](const std::string& code) {
    return json{{"code", code}, {"name", language_name(code)}};
  };
  json settings = {{"apiKeys", !service.options().keys.empty()},
                   {"charLimit", service.options().characters},
                   {"filesTranslation", false},
                   {"frontendTimeout", 500},
                   {"keyRequired", !service.options().keys.empty()},
                   {"suggestions", false},
                   {"supportedFilesFormat", json::array()}};
  if (!service.runs().translators.empty()) {
    const ServedTranslator& first = service.runs().translators.front();
    settings["language"] = {{"source", language(first.source)}, {"target", language(first.target)}};
  }
  answer.json(settings);
}

}  // namespace calque
