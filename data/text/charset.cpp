#include "data/text/charset.h"

#include <iconv.h>

#include <array>
#include <cerrno>
#include <memory>

#include "core/error.h"

namespace calque {

std::string converted(std::string_view text, const std::string& from, const std::string& to,
                      const std::string& place) {
  const iconv_t opened = iconv_open(to.c_str(), from.c_str());
  if (opened == reinterpret_cast<iconv_t>(-1)) {
    fail("{}: charset {}: is not known; convert the file to UTF-8", place,
         to == "UTF-8" ? from : to);
  }
  const std::unique_ptr<void, int (*)(iconv_t)> converter(opened, iconv_close);
  std::string result;
  std::array<char, 4096> buffer;
  char* in = const_cast<char*>(text.data());
  size_t left = text.size();
  while (left > 0) {
    char* out = buffer.data();
    size_t room = buffer.size();
    const size_t status = iconv(opened, &in, &left, &out, &room);
    result.append(buffer.data(), buffer.size() - room);
    if (status == static_cast<size_t>(-1) && errno != E2BIG) {
      fail("{}: byte {} cannot be converted from {} to {}", place, text.size() - left + 1, from,
           to);
    }
  }
  return result;
}

}  // namespace calque
