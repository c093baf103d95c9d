#include "data/text/marks.h"

#include <utf8proc.h>

#include "data/text/utf8.h"

namespace calque {

std::string without_marks(std::string_view text) {
  constexpr auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_STRIPMARK);
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const char32_t point = next_code_point(text, at);
    if (point < 0x80) {
      out += static_cast<char>(point);
      continue;
    }
    utf8proc_int32_t parts[16];
    int last_class = 0;
    const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(point), parts, 16,
                                               options, &last_class);
    if (count < 0 || count > 16) {
      append_utf8(point, out);
      continue;
    }
    for (int i = 0; i < count; ++i) append_utf8(static_cast<char32_t>(parts[i]), out);
  }
  return out;
}

}  // namespace calque
