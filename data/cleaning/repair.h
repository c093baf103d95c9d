#pragma once
// Undoes mojibake: UTF-8 that was read as Windows-1252 or Latin-1 and written as UTF-8 again.

#include <optional>
#include <string>
#include <string_view>

namespace calque {

// The text with the original characters, "für" for "fÃ¼r", also where that was done several times.
// Empty if the text has no mojibake, or some that cannot be undone exactly. Requires well-formed
// UTF-8.
std::optional<std::string> repair_mojibake(std::string_view text);

}  // namespace calque
