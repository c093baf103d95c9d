#pragma once
// Codes of languages in files, such as de, de-AT and de_DE.UTF-8.

#include <string>
#include <string_view>

#include "data/text/lowercase.h"

namespace calque {

// Whether both name one language: what precedes - or _ is equal.
inline bool same_language(std::string_view one, std::string_view other) {
  const auto primary = [](std::string_view code) {
    return ascii_lowercase(code.substr(0, code.find_first_of("-_.@")));
  };
  return primary(one) == primary(other);
}

}  // namespace calque
