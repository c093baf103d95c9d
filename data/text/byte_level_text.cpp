#include "data/text/byte_level_text.h"

#include <fmt/format.h>

#include "data/text/regex.h"

namespace calque {
namespace {

// The characters of Unicode 15 to 17 are listed because PCRE2 10.42 has Unicode 14: a text has the
// same words with every release of PCRE2. tests/reference/byte_level_characters.py prints them.
constexpr std::string_view letters =
    R"(\p{L})"
    R"(\x{1c89}-\x{1c8a}\x{a7cb}-\x{a7cd}\x{a7da}-\x{a7dc}\x{105c0}-\x{105f3})"
    R"(\x{10d4a}-\x{10d65}\x{10d6f}-\x{10d85}\x{10ec2}-\x{10ec4}\x{1123f}-\x{11240})"
    R"(\x{11380}-\x{11389}\x{1138b}\x{1138e}\x{11390}-\x{113b5}\x{113b7}\x{113d1}\x{113d3})"
    R"(\x{11bc0}-\x{11be0}\x{11f02}\x{11f04}-\x{11f10}\x{11f12}-\x{11f33}\x{1342f})"
    R"(\x{13441}-\x{13446}\x{13460}-\x{143fa}\x{16100}-\x{1611d}\x{16d40}-\x{16d6c}\x{18cff})"
    R"(\x{1b132}\x{1b155}\x{1df25}-\x{1df2a}\x{1e030}-\x{1e06d}\x{1e4d0}-\x{1e4eb})"
    R"(\x{1e5d0}-\x{1e5ed}\x{1e5f0}\x{2b739}\x{2ebf0}-\x{2ee5d}\x{31350}-\x{323af})";
constexpr std::string_view numbers =
    R"(\p{N})"
    R"(\x{10d40}-\x{10d49}\x{116d0}-\x{116e3}\x{11bf0}-\x{11bf9}\x{11f50}-\x{11f59})"
    R"(\x{16130}-\x{16139}\x{16d70}-\x{16d79}\x{1ccf0}-\x{1ccf9}\x{1d2c0}-\x{1d2d3})"
    R"(\x{1e4f0}-\x{1e4f9}\x{1e5f1}-\x{1e5fa})";
constexpr std::string_view spaces = R"(\t-\r\x{85}\p{Z})";

// The pattern of GPT-2. White space before a word is cut before its last character: if that is a
// space, it begins the word.
const Regex& word_pattern() {
  static const Regex pattern(
      fmt::format("'(?:[stmd]|re|ve|ll)| ?[{0}]+| ?[{1}]+| ?[^{2}{0}{1}]+|[{2}]+(?![^{2}])|[{2}]+",
                  letters, numbers, spaces));
  return pattern;
}

}  // namespace

void for_each_byte_level_word(std::string_view text,
                              const std::function<void(std::string_view)>& visit) {
  for (size_t at = 0; at < text.size();) {
    const auto word = word_pattern().find(text, at);
    visit(text.substr(at, word->end - at));
    at = word->end;
  }
}

}  // namespace calque
