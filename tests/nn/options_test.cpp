// Invalid options are refused with a message that says how to fix them.

#include <doctest/doctest.h>

#include <limits>

#include "core/error.h"
#include "nn/small_model.h"
#include "support/message_of.h"

using namespace calque;

namespace {

// The message of the Error that a model with these options throws; empty if there is none.
template <class Change>
std::string refusal(Change&& change) {
  TransformerOptions options = small_options();
  change(options);
  Parameters parameters;
  const std::string message =
      message_of<Error>([&] { const Transformer transformer(Path(parameters), options); });
  if (!message.empty()) CHECK(parameters.entries().empty());
  return message;
}

}  // namespace

TEST_CASE("d_model must be a multiple of the heads") {
  CHECK(refusal([](auto& o) { o.layer.heads = 3; }) ==
        "d_model is 8, which 3 heads cannot share equally; make it a multiple of heads");
}

TEST_CASE("an odd d_model has no sinusoidal positions, but learned ones or none") {
  const auto odd = [](PositionKind kind) {
    return refusal([=](auto& o) {
      o.layer.d_model = 9;
      o.layer.heads = 3;
      o.layer.positions = kind;
    });
  };
  CHECK(
      odd(PositionKind::interleaved) ==
      "d_model is 9, but sinusoidal positions (interleaved) are pairs of sine and cosine; make it "
      "even");
  CHECK_FALSE(odd(PositionKind::halves).empty());
  CHECK_FALSE(odd(PositionKind::t2t).empty());
  CHECK_FALSE(odd(PositionKind::fairseq).empty());
  CHECK(odd(PositionKind::rotary) ==
        "a head has 3 numbers, but rotary positions rotate pairs; make it even");
  CHECK(odd(PositionKind::learned).empty());
  CHECK(odd(PositionKind::none).empty());
}

TEST_CASE("no size may be 0 or less") {
  for (const int64_t size : {int64_t{0}, int64_t{-4}}) {
    CHECK(refusal([=](auto& o) { o.layer.d_model = size; }) ==
          fmt::format("d_model is {}; it must be at least 1", size));
    CHECK_FALSE(refusal([=](auto& o) { o.source_vocabulary = size; }).empty());
    CHECK_FALSE(refusal([=](auto& o) { o.target_vocabulary = size; }).empty());
    CHECK_FALSE(refusal([=](auto& o) { o.layer.d_ff = size; }).empty());
    CHECK_FALSE(refusal([=](auto& o) { o.layer.heads = size; }).empty());
    CHECK_FALSE(refusal([=](auto& o) { o.encoder_layers = size; }).empty());
    CHECK_FALSE(refusal([=](auto& o) { o.decoder_layers = size; }).empty());
    CHECK_FALSE(refusal([=](auto& o) { o.layer.max_positions = size; }).empty());
  }
}

TEST_CASE("a probability of dropout is at least 0 and less than 1") {
  for (const real bad : {real(1), real(-0.1), std::numeric_limits<real>::quiet_NaN()}) {
    CHECK_FALSE(refusal([=](auto& o) { o.layer.dropout = bad; }).empty());
    CHECK_FALSE(refusal([=](auto& o) { o.layer.attention_dropout = bad; }).empty());
    CHECK_FALSE(refusal([=](auto& o) { o.layer.activation_dropout = bad; }).empty());
  }
  CHECK(refusal([](auto& o) { o.layer.dropout = 1; }) ==
        "dropout is 1; it must be at least 0 and less than 1");
}

TEST_CASE("a norm needs a small epsilon above 0") {
  for (const real bad : {real(0), real(-1e-5), real(2), std::numeric_limits<real>::quiet_NaN()}) {
    CHECK_FALSE(refusal([=](auto& o) { o.layer.norm_epsilon = bad; }).empty());
  }
}

TEST_CASE("all embeddings can be one table only for one joint vocabulary") {
  CHECK(
      refusal([](auto& o) { o.target_vocabulary = 11; }) ==
      "the source vocabulary has 13 tokens and the target vocabulary 11, so they cannot share one "
      "embedding table; use one joint vocabulary, or tie the target side only");
  CHECK(refusal([](auto& o) {
          o.target_vocabulary = 11;
          o.tying = Tying::target;
        }).empty());
}

TEST_CASE("a batch that contradicts its segments is a Misuse") {
  const SmallModel model(small_options());
  SmallBatch batch = random_batch(small_options(), {{2, 3}, {4, 1}});
  batch.expected.pop_back();
  CHECK_THROWS_AS(loss_of(model.transformer, batch, 0), Misuse);
  batch = random_batch(small_options(), {{2, 3}, {4, 1}});
  batch.target_segments = Segments::of_lengths(std::vector<int32_t>{1, 1, 2});
  CHECK_THROWS_AS(loss_of(model.transformer, batch, 0), Misuse);
  batch = random_batch(small_options(), {{2, 3}});
  batch.source[0] = 13;
  CHECK_THROWS_AS(loss_of(model.transformer, batch, 0), Misuse);
}
