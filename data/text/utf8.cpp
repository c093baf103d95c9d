#include "data/text/utf8.h"

#include <algorithm>
#include <cstring>

namespace calque {
namespace {

unsigned char byte_at(std::string_view text, size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

bool within(unsigned char byte, unsigned char low, unsigned char high) {
  return byte >= low && byte <= high;
}

// The length of the well-formed character at `at`, or 0.
size_t character_length(std::string_view text, size_t at) {
  const unsigned char first = byte_at(text, at);
  const unsigned char second = byte_at(text, at + 1);
  if (within(first, 0x01, 0x7F)) return 1;
  if (within(first, 0xC2, 0xDF)) return within(second, 0x80, 0xBF) ? 2 : 0;
  if (!within(byte_at(text, at + 2), 0x80, 0xBF)) return 0;
  if (within(first, 0xE0, 0xEF)) {
    const unsigned char low = first == 0xE0 ? 0xA0 : 0x80;   // overlong below
    const unsigned char high = first == 0xED ? 0x9F : 0xBF;  // surrogates above
    return within(second, low, high) ? 3 : 0;
  }
  if (!within(byte_at(text, at + 3), 0x80, 0xBF)) return 0;
  const unsigned char low = first == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = first == 0xF4 ? 0x8F : 0xBF;
  return within(first, 0xF0, 0xF4) && within(second, low, high) ? 4 : 0;
}

// True if all eight bytes at `from` are ASCII and none is NUL.
bool eight_ascii(const char* from) {
  uint64_t word;
  std::memcpy(&word, from, 8);
  constexpr uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
  return ((word | (word - ones)) & tops) == 0;
}

}  // namespace

std::optional<size_t> find_invalid_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    if (at + 8 <= text.size() && eight_ascii(text.data() + at)) {
      at += 8;
      continue;
    }
    const size_t length = character_length(text, at);
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

std::string utf8_problem(std::string_view text) {
  const std::optional<size_t> bad = find_invalid_utf8(text);
  if (!bad) return "";
  const std::string place = " (byte " + std::to_string(*bad + 1) + ")";
  return (text[*bad] == '\0' ? "a NUL" : "not valid UTF-8") + place;
}

char32_t next_code_point(std::string_view text, size_t& at) {
  const unsigned char first = byte_at(text, at);
  if (first < 0x80) {
    ++at;
    return first;
  }
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  char32_t value = first & (0x3F >> more);
  for (int i = 1; i <= more; ++i) value = value << 6 | (byte_at(text, at + i) & 0x3F);
  at += more + 1;
  return value;
}

int64_t count_code_points(std::string_view text) {
  return std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

bool is_inside_character(std::string_view text, size_t at) {
  return at > 0 && at < text.size() && (byte_at(text, at) & 0xC0) == 0x80;
}

std::vector<size_t> character_borders(std::string_view text) {
  std::vector<size_t> borders = {0};
  for (size_t at = 0; at < text.size(); borders.push_back(at)) next_code_point(text, at);
  return borders;
}

void append_utf8(char32_t code_point, std::string& out) {
  const auto put = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) return put(code_point);
  if (code_point < 0x800) {
    put(0xC0 | code_point >> 6);
  } else if (code_point < 0x10000) {
    put(0xE0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 0x3F));
  } else {
    put(0xF0 | code_point >> 18);
    put(0x80 | (code_point >> 12 & 0x3F));
    put(0x80 | (code_point >> 6 & 0x3F));
  }
  put(0x80 | (code_point & 0x3F));
}

}  // namespace calque
