// The vectors that a tagger reads. tests/nn/gradient_test.cpp checks its gradients.
#include <doctest/doctest.h>

#include "nn/models/classification_head.h"

using namespace calque;

TEST_CASE("a tagger reads the vectors of the given tokens, and has no dense layer") {
  Parameters parameters;
  const ClassifierOptions options = {
      .encoder = {.layer = {.d_model = 8, .d_ff = 12, .heads = 2}, .vocabulary = 7, .layers = 1},
      .head = {.classes = 3, .dense = false, .dropout = real(0.5)}};
  const Classifier model(Path(parameters), options);
  parameters.allocate();
  parameters.initialise(1);
  CHECK_FALSE(model.head.dense.has_value());
  const std::vector<int32_t> ids = {1, 3, 4, 2, 1, 5, 2}, rows = {1, 2, 5};
  const Segments segments = Segments::of_lengths(std::vector<int32_t>{4, 3});
  const Tensor hidden = model.encoder(ids, {}, segments, Mode::evaluate);
  const Tensor words = model.of_tokens(ids, segments, rows, Mode::evaluate);
  REQUIRE(words.shape() == Shape{3, 8});
  for (size_t i = 0; i < rows.size(); ++i) {
    for (int64_t c = 0; c < 8; ++c) {
      CHECK(words.data()[int64_t(i) * 8 + c] == hidden.data()[rows[i] * 8 + c]);
    }
  }
  CHECK(model.head.logits(words).shape() == Shape{3, 3});
  Tape tape({.seed = 1});
  const Tensor dropped = model.of_tokens(ids, segments, rows, Mode::train);
  const auto zeros = std::ranges::count(dropped.span(), real(0));
  CHECK(zeros > 4);
  CHECK(zeros < 20);
}
