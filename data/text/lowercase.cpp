#include "data/text/lowercase.h"

#include <utf8proc.h>

#include "data/text/utf8.h"

namespace calque {

std::string ascii_lowercase(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = ascii_lowercase(c);
  return out;
}

std::string lowercase(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const char byte = text[at];
    if (static_cast<unsigned char>(byte) < 0x80) {
      out.push_back(ascii_lowercase(byte));
      ++at;
    } else {
      append_utf8(lowercase(next_code_point(text, at)), out);
    }
  }
  return out;
}

char32_t lowercase(char32_t letter) {
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(letter)));
}

}  // namespace calque
