#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/text/utf8.h"

namespace calque {

// The printable character that stands for a byte in the vocabularies of GPT-2: itself, or the next
// one from U+0100 on for the 68 bytes that cannot be printed.
inline std::vector<std::string> byte_glyphs() {
  std::vector<std::string> glyphs;
  uint32_t next = 0x100;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
    append_utf8(printable ? byte : next++, glyphs.emplace_back());
  }
  return glyphs;
}

}  // namespace calque
