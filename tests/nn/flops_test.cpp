// The FLOPs that the ops count in a step, against formulas:
//
//   a product with a weight [n, m]      2 n m per token
//   attention of one query to one key   4 d_model: the dot products and the weighted sum
//   training                            3 x forward: gradients of the inputs and of the weights

#include <doctest/doctest.h>

#include "core/products/blas.h"
#include "core/profile.h"
#include "nn/small_language_model.h"
#include "nn/small_model.h"

using namespace calque;

namespace {

template <class Step>
double flops_of(Step&& step) {
  const double before = counted_flops();
  step();
  return counted_flops() - before;
}

double flops_of_products(const std::vector<GemmCall>& calls) {
  double flops = 0;
  for (const GemmCall& call : calls) flops += 2.0 * double(call.m * call.n * call.k);
  return flops;
}

}  // namespace

// d_model 8, d_ff 12, a vocabulary of 13, one layer each; 3 + 1 source and 2 + 4 target tokens.
TEST_CASE("the counted FLOPs of a step of a Transformer equal the formula") {
  TransformerOptions options = small_options();
  options.encoder_layers = options.decoder_layers = 1;
  const SmallModel model(options);
  const SmallBatch batch = random_batch(options, {{3, 2}, {1, 4}});
  const double qkv = 2 * 8 * 24, square = 2 * 8 * 8, feed_forward = 2 * 2 * 8 * 12;
  const double encoder = 4 * (qkv + square + feed_forward) + 4 * 8 * (3 * 3 + 1 * 1);
  const double decoder = 6 * (qkv + square + 2 * square + feed_forward) + 4 * 2 * 8 * 16 +
                         4 * 8 * (3 + 10) + 4 * 8 * (2 * 3 + 4 * 1);
  const double logits = 6 * 2 * 8 * 13;
  const double forward = encoder + decoder + logits;
  CHECK(forward == 13824);

  CHECK(flops_of([&] { loss_of(model.transformer, batch, real(0.1)); }) == forward);
  CHECK(flops_of([&] {
          const Tape tape;
          backward(loss_of(model.transformer, batch, real(0.1), Mode::train).loss);
        }) == 3 * forward);
  CHECK(flops_of([&] {
          const Tape tape;
          backward(loss_of(model.transformer, batch, real(0.1), Mode::train, 1).loss);
        }) == 6 * forward);
}

// d_model 8, d_ff 12, a vocabulary of 11, two layers; texts of 4, 1 and 2 tokens.
TEST_CASE("the counted FLOPs of a step of a decoder-only model equal the formula") {
  const SmallLanguageModel small(small_language_model_options());
  const TextBatch batch = random_text(small.model.options, {4, 1, 2});
  const double layer = 7 * 2 * (8 * 24 + 8 * 8 + 2 * 8 * 12) + 4 * 8 * (10 + 1 + 3);
  const double forward = 2 * layer + 7 * 2 * 8 * 11;
  CHECK(flops_of([&] {
          const Tape tape;
          backward(
              small.model.loss(batch.ids, batch.expected, batch.segments, 0, Mode::train).loss);
        }) == 3 * forward);
}

// As above with a text of 6 tokens: each sees itself, the token before it and the first token.
TEST_CASE("the counted FLOPs of a step of a sparse model equal the formula") {
  LanguageModelOptions options = small_language_model_options();
  options.layer.attention = {.window = 1, .global = 1};
  const SmallLanguageModel small(options);
  const TextBatch batch = random_text(options, {6});
  const double layer = 6 * 2 * (8 * 24 + 8 * 8 + 2 * 8 * 12) + 4 * 8 * (1 + 2 + 4 * 3);
  const double forward = 2 * layer + 6 * 2 * 8 * 11;
  CHECK(flops_of([&] {
          const Tape tape;
          backward(
              small.model.loss(batch.ids, batch.expected, batch.segments, 0, Mode::train).loss);
        }) == 3 * forward);
}

TEST_CASE("the recorder lists the products with weights of a step, forward and then backward") {
  LanguageModelOptions options = small_language_model_options();
  options.layers = 1;
  const SmallLanguageModel small(options);
  const TextBatch batch = random_text(options, {4, 3});
  std::vector<GemmCall> calls;
  const double counted = flops_of([&] {
    const GemmRecorder recorder(calls);
    const Tape tape;
    backward(small.model.loss(batch.ids, batch.expected, batch.segments, 0, Mode::train).loss);
  });
  const double attention = 3 * 4 * 8 * (10 + 6);
  CHECK(flops_of_products(calls) == counted - attention);
  REQUIRE(calls.size() == 15);  // qkv, output, inner, outer and the logits, with two gradients each
  CHECK(calls[0] == GemmCall{.m = 7, .n = 24, .k = 8});
  CHECK(calls[4] == GemmCall{.m = 7, .n = 11, .k = 8, .b_transposed = true});
  CHECK(calls[13] == GemmCall{.m = 8, .n = 24, .k = 7, .a_transposed = true});
  CHECK(calls[14] == GemmCall{.m = 7, .n = 8, .k = 24, .b_transposed = true});

  small.model.hidden(batch.ids, batch.segments, Mode::evaluate);
  CHECK(calls.size() == 15);
}
