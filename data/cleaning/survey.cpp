#include "data/cleaning/survey.h"

#include <algorithm>
#include <cmath>

#include "data/text/utf8.h"

namespace calque {

// The constant takes the weight from short texts, whose ratios vary most.
double LengthRatios::of(std::string_view source, std::string_view target) {
  constexpr double characters = 10;
  return std::log((static_cast<double>(count_code_points(target)) + characters) /
                  (static_cast<double>(count_code_points(source)) + characters));
}

void LengthRatios::add(double ratio) {
  const auto bin = static_cast<int64_t>(std::floor(ratio / width)) + bins / 2;
  ++counts_[std::clamp<int64_t>(bin, 0, bins - 1)];
  ++all_;
}

double LengthRatios::median() const {
  int64_t bin = 0, below = counts_[0];
  while (2 * below < all_) below += counts_[++bin];
  return (static_cast<double>(bin - bins / 2) + 0.5) * width;
}

double LengthRatios::spread() const {
  constexpr double per_median_deviation = 1.4826, least = 0.1;
  const auto middle = static_cast<int64_t>(std::floor(median() / width)) + bins / 2;
  int64_t within = counts_[middle], deviation = 0;
  while (2 * within < all_) {
    ++deviation;
    for (const int64_t bin : {middle - deviation, middle + deviation}) {
      if (bin >= 0 && bin < bins) within += counts_[bin];
    }
  }
  return std::max(least, per_median_deviation * width * static_cast<double>(deviation));
}

void CorpusSurvey::add(std::string_view source, std::string_view target) {
  ++pairs_;
  words[0].add(source);
  words[1].add(target);
  scripts[0].add(source);
  scripts[1].add(target);
  letters[0].add(source);
  letters[1].add(target);
  lengths.add(LengthRatios::of(source, target));
  translations.add(source, target);
}

void CorpusSurvey::measure() {
  for (UsualLetters& side : letters) side.measure();
}

}  // namespace calque
