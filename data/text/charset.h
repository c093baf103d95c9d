#pragma once
// Texts in other encodings than UTF-8, by iconv.

#include <string>
#include <string_view>

namespace calque {

// Throws an Error, which begins with `place`, for a charset that iconv does not know and for a text
// that is not valid or has no form in the other one.
std::string converted(std::string_view text, const std::string& from, const std::string& to,
                      const std::string& place);

}  // namespace calque
