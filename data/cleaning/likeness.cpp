#include "data/cleaning/likeness.h"

#include <string>

#include "data/files/content_hash.h"
#include "data/text/letter_case.h"
#include "data/text/lowercase.h"
#include "data/text/utf8.h"
#include "data/text/words.h"

namespace calque {
namespace {

// The words in lower case without digits, each followed by a space. Vowel signs are part of words.
std::string letters_of(std::string_view text) {
  std::string letters;
  for (const TextRange& range : word_ranges(text)) {
    const size_t before = letters.size();
    const std::string_view word = range.of(text);
    for (size_t at = 0; at < word.size();) {
      const char32_t point = next_code_point(word, at);
      if (!is_digit(point)) append_utf8(lowercase(point), letters);
    }
    if (letters.size() > before) letters += ' ';
  }
  return letters;
}

}  // namespace

std::optional<uint64_t> likeness(std::string_view source, std::string_view target) {
  const std::string of_source = letters_of(source), of_target = letters_of(target);
  if (of_source.empty() || of_target.empty()) return std::nullopt;
  return ContentHash().add_text(of_source).add_text(of_target).value();
}

}  // namespace calque
