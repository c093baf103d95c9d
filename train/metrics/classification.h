#pragma once
// Metrics of classification, from the confusion matrix: accuracy, precision, recall and F1 of each
// class, and macro F1, the mean of F1 over the classes. A class that neither occurs nor is
// predicted is left out of the mean.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace calque {

class ConfusionMatrix {
 public:
  explicit ConfusionMatrix(int64_t classes);

  void add(int64_t expected, int64_t predicted);

  int64_t classes() const { return classes_; }
  int64_t count(int64_t expected, int64_t predicted) const {
    return counts_[static_cast<size_t>(expected * classes_ + predicted)];
  }
  int64_t total() const { return total_; }
  int64_t occurrences(int64_t of_class) const;  // as the expected class
  int64_t predictions(int64_t of_class) const;

  double accuracy() const;
  double precision(int64_t of_class) const;  // 0 if the class is never predicted
  double recall(int64_t of_class) const;     // 0 if the class never occurs
  double f1(int64_t of_class) const;
  double macro_f1() const;

 private:
  int64_t classes_;
  int64_t total_ = 0;
  std::vector<int64_t> counts_;  // [expected, predicted]
};

}  // namespace calque
