#include "data/cleaning/usual_letters.h"

#include <algorithm>
#include <cmath>

#include "core/median.h"
#include "data/text/letter_case.h"
#include "data/text/lowercase.h"
#include "data/text/utf8.h"
#include "data/text/words.h"

namespace calque {
namespace {

constexpr size_t largest_sample = 20000;

}  // namespace

// The letters of each word in lower case, with a mark before and behind the word.
UsualLetters::Trigrams UsualLetters::trigrams_of(std::string_view text) {
  constexpr uint64_t border = 1, bits = 21, three = (uint64_t{1} << 3 * bits) - 1;
  Trigrams trigrams;
  for (const TextRange& range : word_ranges(text)) {
    const std::string_view word = range.of(text);
    uint64_t last = border, letters = 0;  // `last`: the last three code points
    const auto append = [&](uint64_t point) {
      last = (last << bits | point) & three;
      if (++letters < 2) return;
      trigrams.push_back(static_cast<uint32_t>(last * 0x9E3779B97F4A7C15u >> 46));
    };
    for (size_t at = 0; at < word.size();) {
      const char32_t point = next_code_point(word, at);
      if (!is_digit(point)) append(lowercase(point));
    }
    if (letters > 0) append(border);
  }
  std::ranges::sort(trigrams);
  return trigrams;
}

void UsualLetters::add(std::string_view text) {
  Trigrams trigrams = trigrams_of(text);
  for (const uint32_t trigram : trigrams) ++counts_[trigram];
  all_ += std::ssize(trigrams);
  if (trigrams.empty() || lines_++ % distance_ != 0) return;
  sample_.push_back(std::move(trigrams));
  if (sample_.size() < largest_sample) return;
  for (size_t i = 0; 2 * i < sample_.size(); ++i) sample_[i] = std::move(sample_[2 * i]);
  sample_.resize(largest_sample / 2);
  distance_ *= 2;
}

double UsualLetters::mean_of(const Trigrams& trigrams) const {
  constexpr double unseen = 0.5;
  double sum = 0;
  for (auto next = trigrams.begin(); next != trigrams.end();) {
    const auto end = std::upper_bound(next, trigrams.end(), *next);
    const auto times = static_cast<double>(end - next);
    sum += times * std::log(std::max(0.0, static_cast<double>(counts_[*next]) - times) + unseen);
    next = end;
  }
  return sum / static_cast<double>(trigrams.size()) - std::log(static_cast<double>(all_) + 1);
}

// The distance from the median. The constant takes the weight from short lines, whose means vary
// most.
double UsualLetters::shrunk(const Trigrams& trigrams) const {
  constexpr double constant = 10;
  const auto size = static_cast<double>(trigrams.size());
  return (mean_of(trigrams) - median_) * size / (size + constant);
}

// The spread is the standard deviation of a normal distribution with the same median deviation.
void UsualLetters::measure() {
  constexpr double per_median_deviation = 1.4826, least = 0.01;
  if (sample_.empty()) return;
  std::vector<double> means, distances;
  for (const Trigrams& trigrams : sample_) means.push_back(mean_of(trigrams));
  median_ = median(std::move(means));
  for (const Trigrams& trigrams : sample_) distances.push_back(std::abs(shrunk(trigrams)));
  spread_ = std::max(least, per_median_deviation * median(std::move(distances)));
  sample_.clear();
}

std::optional<double> UsualLetters::deviation(std::string_view text) const {
  constexpr size_t enough = 12;
  const Trigrams trigrams = trigrams_of(text);
  if (trigrams.size() < enough) return std::nullopt;
  return shrunk(trigrams) / spread_;
}

}  // namespace calque
