#pragma once
// The words of GPT-2: runs of letters, of digits or of other characters, each with at most one
// space before it; English endings such as 's; and runs of the remaining white space.

#include <functional>
#include <string_view>

namespace calque {

// Calls visit(word) for each word in order; the words together are the text. Requires well-formed
// UTF-8.
void for_each_byte_level_word(std::string_view text,
                              const std::function<void(std::string_view)>& visit);

}  // namespace calque
