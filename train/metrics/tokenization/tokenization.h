#pragma once
// The tokenizations that metrics apply to plain text before they compare words. They belong to the
// definition of BLEU, not to the model's tokenizer: only scores with the same tokenization are
// comparable, so the signature names it.

#include <string>
#include <string_view>

#include "core/named.h"

namespace calque {

enum class Tokenization {
  none,       // words are separated by white space
  v13a,       // the script mteval-v13a.pl: ASCII punctuation, with care for numbers; the default
  intl,       // mteval-v14.pl: all of Unicode's punctuation and symbols
  character,  // every character by itself
};
inline constexpr Named<Tokenization> tokenizations[] = {{"13a", Tokenization::v13a},
                                                        {"intl", Tokenization::intl},
                                                        {"char", Tokenization::character},
                                                        {"none", Tokenization::none}};

Tokenization parse_tokenization(std::string_view name);  // the Error for others lists the names

// The line with spaces between its tokens.
std::string tokenize(std::string_view line, Tokenization tokenization);

// Tercom's preprocessing for TER: lower case and, optionally, tokenization and removal of
// punctuation.
struct TercomOptions {
  bool normalized = false;      // separate punctuation, resolve XML entities
  bool no_punctuation = false;  // remove . , ? : ; ! " ( )
  bool asian_support = false;   // apply both also to Chinese and Japanese characters
  bool case_sensitive = false;
};

std::string tercom_tokenize(std::string_view line, const TercomOptions& options);

}  // namespace calque
