// The other routes of LibreTranslate: /languages, /detect, /frontend/settings and /spec.

#include <cmath>
#include <map>

#include "serve/http/error.h"
#include "serve/service.h"

namespace calque {

extern const std::string_view spec_json;

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

}  // namespace

// {"q": TEXT} -> [{"confidence": PERCENT, "language": CODE}, ...], most probable first.
void answer_detect(Service& service, const Fields& fields, const Answer& answer) {
  const std::string text = fields.text("q");
  service.check_characters({&text, 1});
  const LanguageDetector& detector = service.runs().detector;
  if (!detector.useful()) refuse(404, "the detector needs texts of at least two languages");
  json guesses = json::array();
  for (const auto& [language, confidence] : detector.detect(text)) {
    guesses.push_back({{"confidence", std::round(confidence * 10) / 10}, {"language", language}});
  }
  answer.json(guesses);
}

void answer_spec(Service&, const Fields&, const Answer& answer) {
  answer.send({200, "application/json", std::string(spec_json)});
}

void answer_languages(Service& service, const Fields&, const Answer& answer) {
  std::map<std::string, json> targets;  // of each language; empty for one that is only a target
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
