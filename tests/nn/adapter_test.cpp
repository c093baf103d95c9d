// Low-rank adapters: the formula by plain ops, and what a model with them registers and trains.
#include "nn/layers/adapter.h"

#include <doctest/doctest.h>

#include <array>

#include "core/compact_weights.h"
#include "core/products/compact/matrix.h"
#include "nn/layers/linear.h"
#include "nn/models/vision.h"
#include "nn/small_language_model.h"
#include "nn/small_model.h"
#include "support/gradient_check.h"

using namespace calque;

namespace {

const real rounding = sizeof(real) == 4 ? real(1e-5) : real(1e-12);

AdapterOptions lora(int64_t rank = 3) {
  return {.kind = AdapterKind::lora, .rank = rank, .alpha = 6, .dropout = 0};
}

}  // namespace

TEST_CASE("an adapted layer of two matrices adds scale x A B to the columns of each") {
  Parameters base, trained;
  const Linear layer(Path(base, trained) / "both", 4, {2, 5}, xavier_uniform(4, 7), true, lora(),
                     true);
  initialise_with_noise(base, 1);
  initialise_with_noise(trained, 2);
  base.freeze_all();
  const Tensor x = random_tensor({3, 4}, 3);
  const Adapter& adapter = *layer.adapter;
  const auto product = [&](int part) {
    return matmul(matmul(x, slice_cols(adapter.a, 3 * part, 3 * part + 3)), adapter.b[part]) *
           real(2);
  };
  const Tensor expected =
      linear(x, layer.weight, layer.bias) + concat_cols(std::array{product(0), product(1)});
  CHECK(relative_error(layer(x).span(), expected.span()) < rounding);
}

TEST_CASE("a model with adapters starts as its base, and registers what is trained apart") {
  LanguageModelOptions options = small_language_model_options();
  Parameters plain;
  const LanguageModel before(Path(plain), options);
  options.layer.adapter = lora();
  Parameters base, trained;
  const LanguageModel after(Path(base, trained), options);
  for (Parameters* each : {&plain, &base, &trained}) {
    each->allocate();
    each->initialise(1);
  }
  base.freeze_all();
  REQUIRE(plain.entries().size() == base.entries().size());
  CHECK(plain.entries()[3].name == base.entries()[3].name);
  // Four linear layers in each of two layers; queries, keys and values have a B each.
  CHECK(trained.entries().size() == 2 * (4 + 6));
  CHECK(trained.find("layers.1.self_attention.qkv.lora_b.2")->shape == Shape{3, 8});
  CHECK(trained.find("layers.1.self_attention.qkv.lora_a")->shape == Shape{8, 9});
  const TextBatch batch = random_text(options, {3, 5});
  const Tensor a = before.hidden(batch.ids, batch.segments, Mode::evaluate),
               b = after.hidden(batch.ids, batch.segments, Mode::evaluate);
  CHECK(relative_error(b.span(), a.span()) == 0);
}

TEST_CASE("a backward pass gives frozen weights no gradient, and a head is trained in full") {
  VisionOptions options;
  options.layer.d_model = 8;
  options.layer.heads = 2;
  options.layer.d_ff = 12;
  options.layer.adapter = lora();
  options.layer.adapter.feed_forward = false;
  options.layers = 2;
  options.height = options.width = 8;
  Parameters base, trained;
  const VisionTransformer model(Path(base, trained), options);
  initialise_with_noise(base, 1);
  initialise_with_noise(trained, 2);
  base.freeze_all();
  CHECK(trained.find("layers.0.feed_forward.inner.lora_a") == nullptr);
  CHECK(trained.find("classifier.weight") != nullptr);
  CHECK(base.find("classifier.weight") == nullptr);
  const Tape tape;
  backward(
      sum(model.head.logits(model.pooled(random_tensor({2, options.pixels()}, 2), Mode::train))));
  for (const Parameters::Entry& entry : base.entries()) {
    CHECK_FALSE(entry.tensor.gradient().touched());
  }
  for (const Parameters::Entry& entry : trained.entries()) {
    CAPTURE(entry.name);
    CHECK(entry.tensor.gradient().touched());
  }
}

TEST_CASE("over compact weights, gradients are those over the numbers that they hold") {
  for (const Precision form : {Precision::bfloat16, Precision::q8_0, Precision::q4_0}) {
    LanguageModelOptions options = small_language_model_options();
    options.layer.adapter = lora();
    Parameters compact, base, trained, trained_too;
    const LanguageModel model(Path(compact, trained), options),
        plain(Path(base, trained_too), options);
    initialise_with_noise(base, 1);
    compact.allocate(form);
    for (const Parameters::Entry& entry : base.entries()) {
      const Parameters::Entry& to = *compact.find(entry.name);
      round_weight(entry, form);
      if (to.compact()) {
        to.compact()->put_rows(0, entry.shape[0], entry.values().data());
      } else {
        std::ranges::copy(entry.values(), to.values().begin());
      }
    }
    const TextBatch batch = random_text(options, {3, 5, 9});
    std::vector<double> losses;
    for (Parameters* each : {&trained, &trained_too}) initialise_with_noise(*each, 2);
    for (Parameters* each : {&compact, &base}) each->freeze_all();
    for (const LanguageModel* each : {&model, &plain}) {
      const Tape tape;
      const TokenLoss loss = each->loss(batch.ids, batch.expected, batch.segments, 0, Mode::train);
      losses.push_back(double(loss.loss.item()));
      backward(loss.loss);
    }
    CHECK(losses[0] == doctest::Approx(losses[1]).epsilon(double(rounding)));
    for (const Parameters::Entry& entry : trained.entries()) {
      CAPTURE(entry.name);
      CHECK(relative_error(entry.tensor.gradient().span(),
                           trained_too.find(entry.name)->tensor.gradient().span()) < 10 * rounding);
    }
  }
}

TEST_CASE("an adapter over weights that are not frozen is a misuse") {
  Parameters parameters;
  const Linear layer(Path(parameters), 4, {5}, xavier_uniform(4, 5), true, lora(), true);
  initialise_with_noise(parameters, 1);
  CHECK_THROWS_AS(layer(random_tensor({3, 4}, 3)), Misuse);
}
