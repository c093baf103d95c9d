#include "data/cleaning/repair.h"

#include <algorithm>
#include <array>

#include "data/cleaning/line_signs.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

// What Windows-1252 has at the bytes 80 to 9F. 0: not assigned; Latin-1 has a control character.
constexpr std::array<char32_t, 32> windows_1252 = {
    0x20AC, 0,      0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021, 0x2C6,  0x2030, 0x160,
    0x2039, 0x152,  0,      0x17D,  0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0,      0x17E,  0x178};

// The byte from 80 on that was read as this character.
std::optional<char> byte_of(char32_t point) {
  if (point >= 0x80 && point < 0x100) return static_cast<char>(point);
  const auto at = std::ranges::find(windows_1252, point);
  if (point == 0 || at == windows_1252.end()) return std::nullopt;
  return static_cast<char>(0x80 + (at - windows_1252.begin()));
}

// The text with each run of such characters replaced by the UTF-8 that their bytes are.
std::string undo_once(std::string_view text) {
  std::string out, bytes;
  size_t run = 0;  // where the run begins
  const auto end_run = [&](size_t end) {
    const bool undone = !bytes.empty() && !find_invalid_utf8(bytes);
    out.append(undone ? bytes : text.substr(run, end - run));
    bytes.clear();
  };
  for (size_t at = 0; at < text.size();) {
    const size_t here = at;
    if (bytes.empty()) run = here;
    if (const auto byte = byte_of(next_code_point(text, at))) {
      bytes += *byte;
      continue;
    }
    end_run(here);
    out.append(text, here, at - here);
  }
  if (!bytes.empty()) end_run(text.size());
  return out;
}

}  // namespace

std::optional<std::string> repair_mojibake(std::string_view text) {
  constexpr int most_often = 3;
  if (!has_mojibake(text)) return std::nullopt;
  std::string repaired(text);
  for (int i = 0; i < most_often && has_mojibake(repaired); ++i) repaired = undo_once(repaired);
  if (has_mojibake(repaired)) return std::nullopt;
  return repaired;
}

}  // namespace calque
