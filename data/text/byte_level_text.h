#pragma once
// How models with byte-level BPE cut a text into words:
//
//   gpt2    runs of letters, of digits or of other characters, each with at most one space before
//           it; English endings such as 's; and runs of the remaining white space
//   llama3  the same, but digits in groups of three without a space before them, any one character
//           before letters, line ends after other characters, and endings in upper case too
//   qwen2   llama3 with single digits
//   smollm  gpt2 with single digits, which also end the words before them

#include <functional>
#include <string_view>

#include "core/named.h"

namespace calque {

enum class WordRule { gpt2, llama3, qwen2, smollm };
inline constexpr Named<WordRule> word_rules[] = {{"gpt2", WordRule::gpt2},
                                                 {"llama3", WordRule::llama3},
                                                 {"qwen2", WordRule::qwen2},
                                                 {"smollm", WordRule::smollm}};

// Calls visit(word) for each word in order; the words together are the text. Requires well-formed
// UTF-8.
void for_each_byte_level_word(std::string_view text, WordRule rule,
                              const std::function<void(std::string_view)>& visit);

}  // namespace calque
