// Metrics of classification, worked out by hand.
#include "train/metrics/classification.h"

#include <doctest/doctest.h>

using namespace calque;

TEST_CASE("accuracy and F1 follow from the confusion matrix") {
  ConfusionMatrix matrix(4);  // the last class neither occurs nor is predicted
  for (const auto& [expected, predicted] : {std::pair{0, 0}, {0, 0}, {0, 1}, {1, 1}, {2, 1}}) {
    matrix.add(expected, predicted);
  }
  CHECK(matrix.count(0, 1) == 1);
  CHECK(matrix.accuracy() == doctest::Approx(3.0 / 5));
  CHECK(matrix.precision(1) == doctest::Approx(1.0 / 3));
  CHECK(matrix.recall(0) == doctest::Approx(2.0 / 3));
  CHECK(matrix.f1(0) == doctest::Approx(0.8));
  CHECK(matrix.f1(1) == doctest::Approx(0.5));
  CHECK(matrix.f1(2) == 0);
  CHECK(matrix.macro_f1() == doctest::Approx(1.3 / 3));
}
