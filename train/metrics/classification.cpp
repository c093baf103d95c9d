#include "train/metrics/classification.h"

#include "core/error.h"

namespace calque {
namespace {

double ratio(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

ConfusionMatrix::ConfusionMatrix(int64_t classes)
    : classes_(classes), counts_(static_cast<size_t>(classes * classes)) {}

void ConfusionMatrix::add(int64_t expected, int64_t predicted) {
  require(expected >= 0 && expected < classes_ && predicted >= 0 && predicted < classes_,
          "ConfusionMatrix: class {} or {} of {}", expected, predicted, classes_);
  ++counts_[static_cast<size_t>(expected * classes_ + predicted)];
  ++total_;
}

int64_t ConfusionMatrix::occurrences(int64_t of_class) const {
  int64_t sum = 0;
  for (int64_t c = 0; c < classes_; ++c) sum += count(of_class, c);
  return sum;
}

int64_t ConfusionMatrix::predictions(int64_t of_class) const {
  int64_t sum = 0;
  for (int64_t c = 0; c < classes_; ++c) sum += count(c, of_class);
  return sum;
}

double ConfusionMatrix::accuracy() const {
  int64_t correct = 0;
  for (int64_t c = 0; c < classes_; ++c) correct += count(c, c);
  return ratio(correct, total_);
}

double ConfusionMatrix::precision(int64_t of_class) const {
  return ratio(count(of_class, of_class), predictions(of_class));
}

double ConfusionMatrix::recall(int64_t of_class) const {
  return ratio(count(of_class, of_class), occurrences(of_class));
}

// 2 p r / (p + r), without a division of 0 by 0.
double ConfusionMatrix::f1(int64_t of_class) const {
  return ratio(2 * count(of_class, of_class), occurrences(of_class) + predictions(of_class));
}

double ConfusionMatrix::macro_f1() const {
  double sum = 0;
  int64_t present = 0;
  for (int64_t c = 0; c < classes_; ++c) {
    if (occurrences(c) + predictions(c) == 0) continue;
    sum += f1(c);
    ++present;
  }
  return present == 0 ? 0 : sum / static_cast<double>(present);
}

}  // namespace calque
