#pragma once
// NFC: the composed form of Unicode, in which é is one character.

#include <string>
#include <string_view>

namespace calque {

// Requires well-formed UTF-8.
std::string nfc(std::string_view text);

}  // namespace calque
