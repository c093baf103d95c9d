#include "serve/language_detector.h"

#include <algorithm>
#include <cmath>

#include "data/text/lowercase.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

// White space, digits and ASCII punctuation hardly differ between languages; they separate words.
// The apostrophe is part of a word.
bool separates(char32_t c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return c < 128 && !letter && c != '\'';
}

}  // namespace

// Returns the trigrams of the text in lower case, with one space between words and at both ends.
std::vector<LanguageDetector::Trigram> LanguageDetector::trigrams(std::string_view text) {
  const std::string lower = lowercase(text);
  std::vector<char32_t> characters = {' '};
  for (size_t at = 0; at < lower.size();) {
    const char32_t c = next_code_point(lower, at);
    if (!separates(c)) {
      characters.push_back(c);
    } else if (characters.back() != ' ') {
      characters.push_back(' ');
    }
  }
  if (characters.back() != ' ') characters.push_back(' ');
  std::vector<Trigram> all;
  for (size_t i = 2; i < characters.size(); ++i) {
    all.push_back(Trigram{characters[i - 2]} << 42 | Trigram{characters[i - 1]} << 21 |
                  Trigram{characters[i]});
  }
  return all;
}

void LanguageDetector::learn(const std::string& language, std::string_view text) {
  Counts& counts = counts_[language];
  for (const Trigram each : trigrams(text)) {
    ++counts.of[each];
    ++counts.total;
    ++all_[each];
  }
}

std::vector<LanguageDetector::Guess> LanguageDetector::detect(
    std::string_view text, const std::set<std::string>& among) const {
  const std::vector<Trigram> seen = trigrams(text);
  std::vector<Guess> guesses;
  for (const auto& [language, counts] : counts_) {
    if (!among.empty() && !among.contains(language)) continue;
    constexpr double unseen = 0.5;  // added to each count (additive smoothing)
    const double total =
        static_cast<double>(counts.total) + unseen * static_cast<double>(all_.size());
    double log_probability = 0;
    for (const Trigram each : seen) {
      if (!all_.contains(each)) continue;  // no language has it
      const auto found = counts.of.find(each);
      const auto count = found == counts.of.end() ? 0.0 : static_cast<double>(found->second);
      log_probability += std::log((count + unseen) / total);
    }
    guesses.push_back({language, log_probability / 3});  // a character is in three trigrams
  }
  std::ranges::stable_sort(guesses, std::greater<>(), &Guess::confidence);
  if (guesses.empty()) return guesses;
  const double best = guesses.front().confidence;
  double sum = 0;
  for (Guess& guess : guesses) sum += guess.confidence = std::exp(guess.confidence - best);
  for (Guess& guess : guesses) guess.confidence *= 100 / sum;
  return guesses;
}

}  // namespace calque
