#include "data/cleaning/pair_signs.h"

#include <algorithm>
#include <cmath>

#include "core/median.h"
#include "data/files/content_hash.h"
#include "data/text/script.h"
#include "data/tokenizers/symbol_model.h"

namespace calque {

void Correlation::add(double x, double y) {
  n_ += 1;
  x_ += x, y_ += y;
  xx_ += x * x, yy_ += y * y, xy_ += x * y;
}

double Correlation::value() const {
  const double x_spread = n_ * xx_ - x_ * x_, y_spread = n_ * yy_ - y_ * y_;
  if (n_ < 2 || x_spread <= 0 || y_spread <= 0) return 0;
  return (n_ * xy_ - x_ * y_) / std::sqrt(x_spread * y_spread);
}

void ShiftSearch::begin_corpus() {
  lengths_.clear();
  added_ = next_ = 0;
}

void ShiftSearch::add(double source_length, double target_length, const Corpus& corpus,
                      int64_t index) {
  constexpr double little = 0.35;  // some five standard deviations below a correlation of 0.8
  lengths_.emplace_back(source_length, target_length);
  if (std::ssize(lengths_) > window) lengths_.pop_front();
  if (++added_ % step != 0 || std::ssize(lengths_) < window) return;
  Correlation here;
  for (const auto& [source, target] : lengths_) here.add(source, target);
  if (!here.both_vary()) return;
  correlations_.push_back(here.value());
  if (here.value() >= little) return;
  const int64_t first = std::max(next_, index - window + 1);  // windows overlap
  suspects_.add(corpus, first, 0);
  suspects_.count += index - first;
  next_ = index + 1;
}

Sightings ShiftSearch::shifted() const {
  constexpr double usual = 0.8;
  return median(correlations_) >= usual ? suspects_ : Sightings();
}

void ScriptCount::add(std::string_view text) {
  const std::string_view script = main_script(text);
  if (!script.empty()) ++lines_[script];
}

std::string_view ScriptCount::usual() const {
  const auto most =
      std::ranges::max_element(lines_, {}, [](const auto& each) { return each.second; });
  return most == lines_.end() ? "" : most->first;
}

bool ScriptCount::is_strange(std::string_view text) const {
  const std::string_view script = main_script(text);
  if (script.empty()) return false;
  int64_t all = 0;
  for (const auto& [name, lines] : lines_) all += lines;
  const auto same = lines_.find(script);
  return same == lines_.end() || same->second * 20 < all;
}

int64_t& WordProfile::count_of(std::string_view word) {
  return counts_[content_hash(word) % counts_.size()];
}

int64_t WordProfile::count_of(std::string_view word) const {
  return counts_[content_hash(word) % counts_.size()];
}

void WordProfile::add(std::string_view text) {
  for_each_symbol(SymbolUnit::word, text, [this](std::string_view word) { ++count_of(word); });
}

double WordProfile::similarity(const WordProfile& other) const {
  double shared = 0, sum = 0, other_sum = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    const auto mine = static_cast<double>(counts_[i]);
    const auto theirs = static_cast<double>(other.counts_[i]);
    shared += std::sqrt(mine * theirs);
    sum += mine;
    other_sum += theirs;
  }
  const double scale = std::sqrt(sum * other_sum);
  return scale == 0 ? 0 : shared / scale;
}

// The logarithm of the ratio of the counts, summed over the words. The text's own words may be
// among those of `other`.
bool reads_like(std::string_view text, const WordProfile& one, const WordProfile& other) {
  constexpr double enough = 3, enough_per_word = 1;
  double sum = 0, words = 0;
  for_each_symbol(SymbolUnit::word, text, [&](std::string_view word) {
    sum += std::log(static_cast<double>(one.count_of(word) + 1) /
                    static_cast<double>(other.count_of(word) + 1));
    ++words;
  });
  return sum > enough && sum > enough_per_word * words;
}

}  // namespace calque
