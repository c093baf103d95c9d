#include "data/text/utf8.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace calque {
namespace {

unsigned char byte_at(std::string_view text, size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

// The length of the well-formed character that begins the text, or 0.
size_t character_length(std::string_view text) {
  utf8proc_int32_t point = 0;
  const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                       static_cast<utf8proc_ssize_t>(text.size()), &point);
  return length < 0 || point == 0 ? 0 : static_cast<size_t>(length);
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
    const size_t length = character_length(text.substr(at));
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
  if (code_point < 0x80) return out.push_back(static_cast<char>(code_point));
  std::array<utf8proc_uint8_t, 4> bytes{};
  const auto length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point), bytes.data());
  out.append(reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(length));
}

}  // namespace calque
