#include "data/sentences/learning.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "data/sentences/marks.h"
#include "data/text/code_points.h"
#include "data/text/letter_case.h"
#include "data/text/lowercase.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

constexpr size_t most_types = 1'000'000;  // those that come later are not counted

double log_likelihood(double k, double n, double p) {
  return k * std::log(p) + (n - k) * std::log(1 - p);
}

// A word of a line without the quotes and brackets around it and the comma behind it.
struct LineWord {
  std::string_view text;
  LetterCase letter = LetterCase::none;  // of its first character
  bool period = false;                   // behind it
};

LineWord line_word(std::string_view token) {
  std::vector<size_t> borders = character_borders(token);
  size_t first = 0, last = borders.size() - 1;
  const auto point = [&](size_t i) {
    size_t at = borders[i];
    return next_code_point(token, at);
  };
  const auto outside = [&](char32_t c) {
    return is_opening(c) || is_closing(c) || c == ',' || c == ';' || c == ':' || c == '!' ||
           c == '?';
  };
  while (first < last && outside(point(first))) ++first;
  while (first < last && outside(point(last - 1))) --last;
  LineWord word{.text = {}, .letter = first < last ? letter_case(point(first)) : LetterCase::none};
  if (first < last && point(last - 1) == '.') word.period = true, --last;
  word.text = token.substr(borders[first], borders[last] - borders[first]);
  return word;
}

bool has_letter(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    if (letter_case(next_code_point(text, at)) != LetterCase::none) return true;
  }
  return false;
}

}  // namespace

SentenceLearning::Counts* SentenceLearning::counts_of(const std::string& type) {
  if (types_.size() < most_types) return &types_[type];
  const auto found = types_.find(type);
  return found == types_.end() ? nullptr : &found->second;
}

void SentenceLearning::add(std::string_view line) {
  constexpr size_t longest_word = 100;
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  bool first = true, after_period = false;
  for (size_t at = 0; at < line.size();) {
    while (at < line.size() && is_blank(line[at])) ++at;
    size_t end = at;
    while (end < line.size() && !is_blank(line[end])) ++end;
    const LineWord word =
        end - at <= longest_word ? line_word(line.substr(at, end - at)) : LineWord{};
    const bool within = line.find_first_not_of(" \t\r\n", end) != line.npos;
    const bool usable = has_letter(word.text);
    if (Counts* counts = usable ? counts_of(lowercase(word.text)) : nullptr) {
      if (within) ++(word.period ? counts->with_period : counts->plain);
      const bool capital = word.letter == LetterCase::capital;
      if (first && capital) ++counts->first;
      if (!first && !after_period) ++(capital ? counts->capital_within : counts->small);
    }
    if (within) ++tokens_, periods_ += word.period ? 1 : 0;
    first = first && word.text.empty();
    after_period =
        word.period ||
        (end > at && stop_mark(static_cast<unsigned char>(line[end - 1])) != StopMark::none);
    at = end;
  }
}

LanguageWords SentenceLearning::words() const {
  constexpr double certain = 0.99, threshold = 0.3;
  constexpr int64_t rare = 10;
  LanguageWords words;
  const double share =
      static_cast<double>(periods_) / static_cast<double>(std::max<int64_t>(1, tokens_));
  for (const auto& [type, counts] : types_) {
    if (counts.first >= rare && counts.small >= rare &&
        counts.capital_within * 20 <= counts.small) {
      words.starters.insert(type);
    }
    if (counts.with_period < 2 || share <= 0 || share >= certain) continue;
    const auto k = static_cast<double>(counts.with_period);
    const double n = k + static_cast<double>(counts.plain);
    const double ratio = 2 * (log_likelihood(k, n, certain) - log_likelihood(k, n, share));
    const auto periods = static_cast<double>(std::ranges::count(type, '.'));
    const double length = static_cast<double>(count_code_points(type)) - periods;
    const double score = ratio * std::exp(-length) * (periods + 1) *
                         std::pow(length, -static_cast<double>(counts.plain));
    if (score >= threshold) words.abbreviations.insert(type);
  }
  return words;
}

std::string to_text(const LanguageWords& words) {
  std::string text;
  for (const std::string& word : words.abbreviations) text += "abbreviation " + word + "\n";
  for (const std::string& word : words.starters) text += "starter " + word + "\n";
  return text;
}

LanguageWords parse_sentence_words(std::string_view text, const std::string& name) {
  LanguageWords words;
  for (int64_t number = 1; !text.empty(); ++number) {
    std::string_view word = cut(text, '\n');
    const std::string_view kind = cut(word, ' ');
    const bool starter = kind == "starter";
    if ((!starter && kind != "abbreviation") || word.empty() || find_invalid_utf8(word)) {
      fail("{}:{}: must be `abbreviation WORD` or `starter WORD`; remove the line, or the file",
           name, number);
    }
    (starter ? words.starters : words.abbreviations).emplace(word);
  }
  return words;
}

}  // namespace calque
