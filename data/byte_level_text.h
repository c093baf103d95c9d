#pragma once
// The words of GPT-2: letters, digits or other characters with at most one space before them, the
// endings of English such as 's, and what white space is left.

#include <functional>
#include <string_view>

namespace calque {

// Calls visit(word) for each; together they are the text. Requires well-formed UTF-8.
void for_each_byte_level_word(std::string_view text,
                              const std::function<void(std::string_view)>& visit);

}  // namespace calque
