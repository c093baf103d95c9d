#pragma once
// The tokenisations that a metric applies to plain text before it compares words. They belong to
// the definition of BLEU and have nothing to do with the model's own tokenizer: a score is
// comparable with others only if all used the same one, which is why it is named in the score's
// signature.

#include <string>
#include <string_view>

#include "core/named.h"

namespace calque {

enum class Tokenization {
  none,       // words are what stands between white space
  v13a,       // the script mteval-v13a.pl: ASCII punctuation, with care for numbers; the default
  intl,       // mteval-v14.pl: all of Unicode's punctuation and symbols
  character,  // every character by itself
};
inline constexpr Named<Tokenization> tokenizations[] = {{"13a", Tokenization::v13a},
                                                        {"intl", Tokenization::intl},
                                                        {"char", Tokenization::character},
                                                        {"none", Tokenization::none}};

Tokenization parse_tokenization(std::string_view name);  // an Error lists the names

// The line with white space between its tokens.
std::string tokenize(std::string_view line, Tokenization tokenization);

// Tercom's preprocessing for TER: lower case, and if wanted tokenisation and removal of
// punctuation.
struct TercomOptions {
  bool normalized = false;      // separate punctuation, resolve XML entities
  bool no_punctuation = false;  // remove . , ? : ; ! " ( )
  bool asian_support = false;  // with the two above: treat Chinese and Japanese characters likewise
  bool case_sensitive = false;
};

std::string tercom_tokenize(std::string_view line, const TercomOptions& options);

}  // namespace calque
