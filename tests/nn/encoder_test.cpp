// The encoder-only model and its heads: pooling, weights of classes, and gradients against finite
// differences in the double build.
#include "nn/encoder.h"

#include <doctest/doctest.h>

#include "core/parameters.h"
#include "nn/classification_head.h"
#include "support/gradient_check.h"

using namespace calque;

TEST_CASE("the mean of a sequence is that of its own rows") {
  const Tensor x = Tensor::of({3, 2}, {1, 2, 3, 6, 7, 8});
  const Tensor mean = mean_of_sequences(x, Segments::of_lengths(std::vector<int32_t>{2, 1}));
  CHECK(mean.data()[0] == 2);
  CHECK(mean.data()[1] == 4);
  CHECK(mean.data()[2] == 7);
  CHECK(mean.data()[3] == 8);
}

TEST_CASE("class weights of 1 leave the loss as it is, and others multiply it") {
  Parameters parameters;
  const ClassificationHead head(Path(parameters), 4, {.classes = 3, .pooling = Pooling::mean});
  parameters.allocate();
  const Tensor x = random_tensor({2, 4}, 1);
  const auto pass = [&] { return x; };
  const std::vector<int32_t> expected = {2, 0};
  const double plain = double(head.loss(pass, expected, {}, real(0.1), 0).loss.item());
  const auto weighted = [&](std::vector<real> w) {
    return double(head.loss(pass, expected, w, real(0.1), 0).loss.item());
  };
  CHECK(weighted({1, 1, 1}) == doctest::Approx(plain));
  CHECK(weighted({3, 1, 3}) == doctest::Approx(3 * plain));
}

#ifdef CALQUE_DOUBLE
TEST_CASE("gradients of pooling and of the weighted loss agree with finite differences") {
  const Segments segments = Segments::of_lengths(std::vector<int32_t>{3, 2});
  CHECK(gradient_error([&](const auto& in) { return mean_of_sequences(in[0], segments); },
                       {random_tensor({5, 4}, 2)}) < 1e-6);
}
#endif
