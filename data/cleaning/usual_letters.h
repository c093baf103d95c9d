#pragma once
// How usual the letters of a line are on its side of the corpus, by the frequencies of three
// letters in a row. A line in another language has many that are rare on its side, also if none of
// its words is known.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace calque {

class UsualLetters {
 public:
  void add(std::string_view text);
  // To be called after the last add().
  void measure();

  // How much more usual than the median line a line is, in standard deviations; less than 0 for
  // unusual lines. Nothing for fewer than 12 letters: names and abbreviations are unusual anyway.
  std::optional<double> deviation(std::string_view text) const;

 private:
  using Trigrams = std::vector<uint32_t>;  // indices of counts_, in order
  static Trigrams trigrams_of(std::string_view text);
  // Of the mean logarithm of the frequencies, without this line's own share in them.
  double mean_of(const Trigrams& trigrams) const;
  double shrunk(const Trigrams& trigrams) const;

  std::vector<int64_t> counts_ = std::vector<int64_t>(size_t{1} << 18);
  int64_t all_ = 0, lines_ = 0;
  std::vector<Trigrams> sample_;
  int64_t distance_ = 1;  // between the lines of the sample
  double median_ = 0, spread_ = 1;
};

}  // namespace calque
