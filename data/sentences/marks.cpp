#include "data/sentences/marks.h"

#include <algorithm>
#include <iterator>

namespace calque {
namespace {

struct Pair {
  char32_t open, close;
};

constexpr Pair pairs[] = {{U'(', U')'},           {U'[', U']'},           {U'{', U'}'},
                          {U'"', U'"'},           {U'\u201C', U'\u201D'}, {U'\u201E', U'\u201C'},
                          {U'\u201E', U'\u201D'}, {U'\u00BB', U'\u00AB'}, {U'\u00AB', U'\u00BB'},
                          {U'\u2039', U'\u203A'}, {U'\u3008', U'\u3009'}, {U'\u300A', U'\u300B'},
                          {U'\u300C', U'\u300D'}, {U'\u300E', U'\u300F'}, {U'\u3010', U'\u3011'},
                          {U'\u3014', U'\u3015'}, {U'\uFF08', U'\uFF09'}, {U'\uFF3B', U'\uFF3D'}};

// They also stand alone, as an apostrophe, or close what a mark of another language opens.
constexpr char32_t loose_openings[] = {U'\u2018', U'\u201A', U'\'', U'\u00A1', U'\u00BF'};
constexpr char32_t loose_closings[] = {U'\u2019', U'\''};

template <size_t count>
bool among(const char32_t (&set)[count], char32_t point) {
  return std::ranges::find(set, point) != std::end(set);
}

}  // namespace

StopMark stop_mark(char32_t point) {
  switch (point) {
    case U'.':
      return StopMark::period;
    case U'\u2026':
      return StopMark::ellipsis;
    case U'!':
    case U'?':
    case U'\u061F':  // Arabic
    case U'\u037E':  // Greek
    case U'\u203C':
    case U'\u2047':
    case U'\u2048':
    case U'\u2049':
    case U'\u203D':
      return StopMark::question;
    case U'\u3002':  // Chinese and Japanese
    case U'\uFF61':
    case U'\uFF01':
    case U'\uFF1F':
    case U'\u06D4':  // Urdu
    case U'\u0589':  // Armenian
    case U'\u0964':  // danda
    case U'\u0965':
    case U'\u104B':  // Myanmar
    case U'\u1362':  // Ethiopic
    case U'\u1367':
    case U'\u1368':
    case U'\u17D4':  // Khmer
    case U'\u17D5':
    case U'\u1803':  // Mongolian
      return StopMark::stop;
    default:
      return StopMark::none;
  }
}

bool closes(char32_t opening, char32_t point) {
  return std::ranges::any_of(
      pairs, [&](const Pair& pair) { return pair.open == opening && pair.close == point; });
}

bool opens_at_word_start(char32_t point) {
  return point == U'"' || point == U'\u201C' || point == U'\u00BB';
}

bool is_closing(char32_t point) {
  return std::ranges::find(pairs, point, &Pair::close) != std::end(pairs) ||
         among(loose_closings, point);
}

bool is_opening(char32_t point) {
  return std::ranges::find(pairs, point, &Pair::open) != std::end(pairs) ||
         among(loose_openings, point);
}

bool is_dash(char32_t point) { return point == U'-' || (point >= 0x2010 && point <= 0x2015); }

bool is_bullet(char32_t point) {
  constexpr char32_t bullets[] = {U'\u2022', U'\u2043', U'\u25E6', U'\u25AA', U'\u25CF', U'\u2023'};
  return among(bullets, point);
}

bool is_white_space(char32_t point) {
  return point == ' ' || (point >= 9 && point <= 13) || point == 0x85 || point == 0xA0 ||
         point == 0x1680 || (point >= 0x2000 && point <= 0x200A) || point == 0x2028 ||
         point == 0x2029 || point == 0x202F || point == 0x205F || point == 0x3000;
}

bool is_line_end(char32_t point) {
  return (point >= 10 && point <= 13) || point == 0x85 || point == 0x2028 || point == 0x2029;
}

bool is_no_break_space(char32_t point) {
  return point == 0xA0 || point == 0x202F || point == 0x2007;
}

}  // namespace calque
