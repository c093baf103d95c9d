#include "train/tasks/translation/languages.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "train/tasks/translation/settings.h"

namespace calque {
namespace {

LanguagePair only_pair(const Config& config, const LanguageChoice& choice, const std::string& run) {
  const auto [source, target] = languages_of(config);
  const bool fits =
      (choice.from.empty() || choice.from == source) && (choice.to.empty() || choice.to == target);
  if (!fits) {
    fail("{}: translates from {} into {}, not from {} into {}", run, source, target,
         choice.from.empty() ? source : choice.from, choice.to.empty() ? target : choice.to);
  }
  return {source, target};
}

std::string chosen_target(const std::vector<std::string>& known, const std::string& to,
                          const std::string& run) {
  if (to.empty() && known.size() == 1) return known.front();
  if (to.empty()) fail("{}: translates into {}; name the target language", run, listed(known));
  if (std::ranges::count(known, to) > 0) return to;
  fail("{}: does not translate into {}, but into {}", run, to, listed(known));
}

// All languages of the pairs, sources first.
std::vector<std::string> languages_in(const std::vector<LanguagePair>& pairs) {
  std::vector<std::string> all;
  const auto add = [&](const std::string& language) {
    if (std::ranges::count(all, language) == 0) all.push_back(language);
  };
  for (const LanguagePair& pair : pairs) add(pair.source);
  for (const LanguagePair& pair : pairs) add(pair.target);
  return all;
}

std::string chosen_source(const std::vector<LanguagePair>& pairs, const LanguageChoice& choice,
                          const std::string& target, const std::string& run) {
  if (choice.from.empty()) {
    std::set<std::string> sources;
    for (const LanguagePair& pair : pairs) {
      if (pair.target == target) sources.insert(pair.source);
    }
    return sources.size() == 1 ? *sources.begin() : "";
  }
  if (choice.from == target) fail("{}: from and into {}; name two languages", run, target);
  const std::vector<std::string> known = languages_in(pairs);
  if (std::ranges::count(known, choice.from) > 0) return choice.from;
  fail("{}: knows no texts in {}, but in {}", run, choice.from, listed(known));
}

}  // namespace

std::vector<LanguagePair> pairs_of_run(const Config& config, const Tokenizer& source) {
  const auto [from, to] = languages_of(config);
  if (!config.data.multilingual) return {{from, to}};
  std::vector<LanguagePair> pairs = language_pairs(config.data.train);
  if (!pairs.empty()) return pairs;
  for (const std::string& target : languages_with_token(source)) pairs.push_back({from, target});
  return pairs;
}

LanguagePair chosen_languages(const Config& config, const Tokenizer& source,
                              const LanguageChoice& choice, const std::string& run) {
  if (!config.data.multilingual) return only_pair(config, choice, run);
  const std::string target = chosen_target(languages_with_token(source), choice.to, run);
  return {chosen_source(pairs_of_run(config, source), choice, target, run), target};
}

}  // namespace calque
