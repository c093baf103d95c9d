#include "train/config/language_pairs.h"

#include <algorithm>

namespace calque {

std::vector<CorpusDirection> directions_of(const CorpusConfig& corpus) {
  using enum CorpusConfig::Directions;
  if (corpus.languages.size() != 2) return {};
  const std::string &first = corpus.languages[0], &second = corpus.languages[1];
  std::vector<CorpusDirection> directions;
  if (corpus.directions != backward) directions.push_back({{first, second}, false});
  if (corpus.directions != forward) directions.push_back({{second, first}, true});
  return directions;
}

std::vector<LanguagePair> language_pairs(const Corpora& corpora) {
  std::vector<LanguagePair> pairs;
  for (const CorpusConfig& corpus : corpora) {
    for (const CorpusDirection& each : directions_of(corpus)) {
      if (std::ranges::count(pairs, each.pair) == 0) pairs.push_back(each.pair);
    }
  }
  return pairs;
}

std::vector<std::string> target_languages(const std::vector<LanguagePair>& pairs) {
  std::vector<std::string> targets;
  for (const LanguagePair& pair : pairs) {
    if (std::ranges::count(targets, pair.target) == 0) targets.push_back(pair.target);
  }
  return targets;
}

std::string listed(const std::vector<std::string>& languages) {
  std::string text;
  for (size_t i = 0; i < languages.size(); ++i) {
    if (i > 0) text += i + 1 == languages.size() ? " and " : ", ";
    text += languages[i];
  }
  return text;
}

std::vector<std::string> toy_languages(const CorpusConfig& corpus) {
  if (corpus.toy != Toy::toy_en_de && corpus.toy != Toy::toy_en_fr) return {};
  const ToyLanguage toy = ToyLanguage::named(name_of(toys, corpus.toy));
  return {toy.source_language(), toy.target_language()};
}

}  // namespace calque
