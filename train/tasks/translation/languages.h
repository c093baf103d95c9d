#pragma once
// The languages that a translator knows: one pair or, with data.multilingual, those of its corpora.
// A multilingual model reads a token for the target language, such as >>de<<, before each source.
// It stands in the source, so decoders, ensembles and other engines need nothing for it, and it is
// put there as an id, so that no text is mistaken for one.

#include <string>
#include <vector>

#include "data/tokenizers/language_tokens.h"
#include "train/config/config.h"
#include "train/config/language_pairs.h"

namespace calque {

// The pairs that a run is trained for. An imported multilingual run does not know its sources: they
// are the first of data.languages, or "src".
std::vector<LanguagePair> pairs_of_run(const Config& config, const Tokenizer& source);

// The languages that a user asks for. An empty one is the only one that the run has.
struct LanguageChoice {
  std::string from = {}, to = {};
};

// The chosen languages. A multilingual run translates between any two of its languages; the source
// remains empty if it is not chosen and there are several. Throws an Error that lists what the run
// knows; `run` is its name.
LanguagePair chosen_languages(const Config& config, const Tokenizer& source,
                              const LanguageChoice& choice, const std::string& run);

}  // namespace calque
