// The encoder-only model and its heads: pooling, weights of classes, and gradients against finite
// differences in the double build.
#include "nn/models/encoder.h"

#include <doctest/doctest.h>

#include "core/parameters.h"
#include "nn/models/classification_head.h"
#include "support/gradient_check.h"

using namespace calque;

TEST_CASE("with mean pooling the vector of a sequence is the mean of its own rows") {
  Parameters parameters;
  const ClassificationHead head(Path(parameters), 2, {.pooling = Pooling::mean});
  parameters.allocate();
  const Tensor x = Tensor::of({3, 2}, {1, 2, 3, 6, 7, 8});
  const Segments segments = Segments::of_lengths(std::vector<int32_t>{2, 1});
  const Tensor mean = head.pooled(x, segments, Mode::evaluate);
  CHECK(mean.data()[0] == 2);
  CHECK(mean.data()[1] == 4);
  CHECK(mean.data()[2] == 7);
  CHECK(mean.data()[3] == 8);
}

TEST_CASE("with cls pooling the vector of a sequence is that of its first token") {
  Parameters parameters;
  const ClassificationHead head(Path(parameters), 2, {.pooling = Pooling::cls, .dense = false});
  parameters.allocate();
  const Tensor x = Tensor::of({3, 2}, {1, 2, 3, 6, 7, 8});
  const Segments segments = Segments::of_lengths(std::vector<int32_t>{2, 1});
  const Tensor pooled = head.pooled(x, segments, Mode::evaluate);
  CHECK(pooled.shape() == Shape{2, 2});
  CHECK(pooled.data()[0] == 1);
  CHECK(pooled.data()[3] == 8);
}

TEST_CASE("class weights change the loss, but not nll and the count of correct answers") {
  Parameters parameters;
  const ClassificationHead head(Path(parameters), 4, {.classes = 3, .pooling = Pooling::mean});
  parameters.allocate();
  parameters.initialise(1);
  const Tensor x = random_tensor({5, 4}, 1);
  const auto pass = [&] { return x; };
  const std::vector<int32_t> expected = {2, 0, 1, 1, 0};
  const TokenLoss plain = head.loss(pass, expected, {}, real(0.1), 0);
  const TokenLoss weighted =
      head.loss(pass, expected, std::vector<real>{2, 3, real(0.5)}, real(0.1), 0);
  CHECK(weighted.tokens == 5);
  CHECK(weighted.correct == plain.correct);
  CHECK(weighted.nll == doctest::Approx(plain.nll));
  CHECK(double(weighted.loss.item()) != doctest::Approx(double(plain.loss.item())));
}

TEST_CASE("a token attends to those before and after it, but only in its own sequence") {
  Parameters parameters;
  const EncoderOptions options = {
      .layer = {.d_model = 8, .d_ff = 12, .heads = 2, .dropout = 0}, .vocabulary = 7, .layers = 1};
  const Encoder encoder(Path(parameters), options);
  parameters.allocate();
  parameters.initialise(1);
  const Segments segments = Segments::of_lengths(std::vector<int32_t>{3, 2});
  const auto output = [&](int64_t token, const std::vector<int32_t>& ids) {
    return double(encoder(ids, {}, segments, Mode::evaluate).data()[token * 8]);
  };
  const std::vector<int32_t> plain = {3, 4, 5, 6, 3};
  CHECK(output(1, {6, 4, 5, 6, 3}) != output(1, plain));  // another token before it
  CHECK(output(1, {3, 4, 6, 6, 3}) != output(1, plain));  // another token after it
  CHECK(output(1, {3, 4, 5, 4, 4}) == output(1, plain));  // another sequence after its own
  CHECK(output(3, {5, 6, 3, 6, 3}) == output(3, plain));  // another sequence before its own
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
  Parameters parameters;
  const ClassificationHead head(Path(parameters), 4, {.classes = 3, .pooling = Pooling::mean});
  parameters.allocate();
  const std::vector<int32_t> expected = {2, 0};
  const std::vector<real> class_weights = {real(0.5), 1, 3};
  const auto loss = [&](const std::vector<Tensor>& in) {
    ClassificationHead own = head;
    own.weight = in[1];
    own.bias = in[2];
    const auto pass = [&] { return own.pooled(in[0], segments, Mode::train); };
    return own.loss(pass, expected, class_weights, real(0.1), 0).loss;
  };
  CHECK(gradient_error(loss, {random_tensor({5, 4}, 3), random_tensor({3, 4}, 4),
                              random_tensor({3}, 5)}) < 1e-6);
}
#endif
