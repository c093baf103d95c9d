#pragma once
// Letters without their accents and other combining marks: é is e, ü is u, ł stays.

#include <string>
#include <string_view>

namespace calque {

// Requires well-formed UTF-8.
std::string without_marks(std::string_view text);

}  // namespace calque
