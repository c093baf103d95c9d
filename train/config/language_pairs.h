#pragma once
// The languages that the corpora of a multilingual run (data.multilingual) are in.

#include <string>
#include <vector>

#include "train/config/config.h"

namespace calque {

struct LanguagePair {
  std::string source, target;

  bool operator==(const LanguagePair&) const = default;
  // "en-de".
  std::string name() const { return source + "-" + target; }
};

// The pairs that a corpus is translated in: one, or with directions: both two, the second of which
// is turned around. Nothing for a corpus without two languages.
struct CorpusDirection {
  LanguagePair pair;
  bool turned = false;  // the second column is the source
};
std::vector<CorpusDirection> directions_of(const CorpusConfig& corpus);

// Those of all corpora, each once, in the order of their first corpora.
std::vector<LanguagePair> language_pairs(const Corpora& corpora);

// The targets of the pairs, each once.
std::vector<std::string> target_languages(const std::vector<LanguagePair>& pairs);

// "de, en and fr".
std::string listed(const std::vector<std::string>& languages);

// The languages of a toy language with a grammar; nothing for another corpus.
std::vector<std::string> toy_languages(const CorpusConfig& corpus);

}  // namespace calque
