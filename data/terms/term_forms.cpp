#include "data/terms/term_forms.h"

#include <algorithm>

#include "data/text/lowercase.h"
#include "data/text/marks.h"
#include "data/text/utf8.h"
#include "data/text/words.h"

namespace calque {
namespace {

std::u32string folded(std::string_view word) {
  const std::string plain = without_marks(lowercase(word));
  std::u32string letters;
  for (size_t at = 0; at < plain.size();) letters += next_code_point(plain, at);
  return letters;
}

// Where the words of the term are in a row; nothing without words.
template <class Same>
std::optional<TextRange> find_words(const TermText& text, const TermText& term, const Same& same) {
  if (term.words.empty()) return std::nullopt;
  const auto found = std::ranges::search(text.words, term.words, same);
  if (found.empty()) return std::nullopt;
  const auto first = found.begin() - text.words.begin();
  return TextRange{text.ranges[first].begin, text.ranges[first + std::ssize(found) - 1].end};
}

}  // namespace

bool is_form_of(std::string_view word, std::string_view other) {
  const std::u32string a = folded(word), b = folded(other);
  const size_t equal = std::ranges::mismatch(a, b).in1 - a.begin();
  const size_t rest = a.size() + b.size() - 2 * equal;
  return rest == 0 || (rest <= 3 && equal >= 3 && 2 * equal >= std::max(a.size(), b.size()));
}

TermText::TermText(std::string_view text) : ranges(word_ranges(text, true)) {
  words.reserve(ranges.size());
  for (const TextRange& range : ranges) words.push_back(lowercase(range.of(text)));
}

TermMatch match_term(const TermText& text, std::string_view term) {
  const TermText wanted(term);
  if (find_words(text, wanted, std::equal_to<>())) return TermMatch::exact;
  return find_words(text, wanted, is_form_of) ? TermMatch::form : TermMatch::none;
}

std::optional<TextRange> find_term(const TermText& text, std::string_view term) {
  const TermText wanted(term);
  const auto exact = find_words(text, wanted, std::equal_to<>());
  return exact ? exact : find_words(text, wanted, is_form_of);
}

}  // namespace calque
