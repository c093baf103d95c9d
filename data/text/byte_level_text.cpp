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

// White space before a word is cut before its last character: if that is a space, it begins the
// word of GPT-2.
Regex gpt2_pattern() {
  return Regex(
      fmt::format("'(?:[stmd]|re|ve|ll)| ?[{0}]+| ?[{1}]+| ?[^{2}{0}{1}]+|[{2}]+(?![^{2}])|[{2}]+",
                  letters, numbers, spaces));
}

// The pattern of Llama 3, with groups of that many digits.
Regex llama3_pattern(std::string_view digits) {
  return Regex(fmt::format(
      R"((?i:'(?:[stmd]|re|ve|ll))|[^\r\n{0}{1}]?[{0}]+|[{1}]{3}| ?[^{2}{0}{1}]+[\r\n]*)"
      R"(|[{2}]*[\r\n]+|[{2}]+(?![^{2}])|[{2}]+)",
      letters, numbers, spaces, digits));
}

const Regex& pattern_of(WordRule rule) {
  static const Regex gpt2 = gpt2_pattern(), llama3 = llama3_pattern("{1,3}"),
                     qwen2 = llama3_pattern("");
  switch (rule) {
    case WordRule::llama3:
      return llama3;
    case WordRule::qwen2:
      return qwen2;
    default:
      return gpt2;
  }
}

using Visit = std::function<void(std::string_view)>;

void visit_matches(const Regex& pattern, std::string_view text, const Visit& visit) {
  for (size_t at = 0; at < text.size();) {
    const auto word = pattern.find(text, at);
    visit(text.substr(at, word->end - at));
    at = word->end;
  }
}

}  // namespace

void for_each_byte_level_word(std::string_view text, WordRule rule, const Visit& visit) {
  const Regex& pattern = pattern_of(rule);
  if (rule != WordRule::smollm) return visit_matches(pattern, text, visit);
  static const Regex digit(fmt::format("[{}]", numbers));
  for (size_t at = 0; at < text.size();) {
    const auto found = digit.find(text, at);
    visit_matches(pattern, text.substr(at, (found ? found->begin : text.size()) - at), visit);
    if (!found) return;
    visit(text.substr(found->begin, found->end - found->begin));
    at = found->end;
  }
}

}  // namespace calque
