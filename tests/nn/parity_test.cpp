// With the same weights, outputs, gradients and ten steps of training are PyTorch's.
// tests/reference/transformer.py recorded them in double from PyTorch's layers.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "nn/recorded.h"
#include "nn/small_model.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "support/worse.h"

using namespace calque;

namespace {

struct Case {
  Variant variant;
  Recorded recorded;
};

std::vector<Case> recorded_cases() {
  std::vector<Case> cases;
  for (const Variant& variant : variants()) {
    const TransformerOptions& o = variant.options;
    const bool standard =
        o.layer.positions == PositionKind::interleaved && o.layer.norm_kind == NormKind::layer &&
        (o.layer.activation == Activation::relu || o.layer.activation == Activation::gelu);
    if (!standard) continue;
    cases.push_back({variant, Recorded(fmt::format("transformer/{}-{}-{}.safetensors",
                                                   name_of(norm_placements, o.layer.norm_placement),
                                                   name_of(tyings, o.tying),
                                                   name_of(activations, o.layer.activation)))});
  }
  REQUIRE(cases.size() == 12);
  return cases;
}

void load(const Parameters& parameters, const Recorded& recorded) {
  for (const Parameters::Entry& entry : parameters.entries()) {
    const std::vector<real> values = recorded.numbers("initial." + entry.name);
    REQUIRE(values.size() == entry.values().size());
    std::ranges::copy(values, entry.values().begin());
  }
}

SmallBatch load_batch(const Recorded& recorded, const std::string& name) {
  const auto ids = [&](const char* what) { return recorded.integers(name + "." + what); };
  return {.source = ids("source"),
          .decoder_input = ids("decoder_input"),
          .expected = ids("expected"),
          .source_segments = Segments::of_lengths(ids("source_lengths")),
          .target_segments = Segments::of_lengths(ids("target_lengths"))};
}

// Adding a number to all scores of a query does not change softmax, so the gradient of a key's bias
// is 0 except for rounding. Adam divides a gradient by its size, so this bias takes a random walk,
// which changes no result.
bool is_key_bias(const std::string& name, size_t element, size_t size) {
  if (name.ends_with("qkv.bias")) return element >= size / 3 && element < 2 * size / 3;
  return name.ends_with("key_value.bias") && element < size / 2;
}

}  // namespace

TEST_CASE("the parameters recorded from PyTorch are those of the model") {
  for (const auto& [which, recorded] : recorded_cases()) {
    const auto& variant = which;
    CAPTURE(variant.name);
    const SmallModel model(variant.options);
    std::set<std::string> names;
    for (const Parameters::Entry& entry : model.parameters.entries()) names.insert(entry.name);
    const std::vector<std::string> theirs = recorded.names_after("initial.");
    CHECK(names == std::set<std::string>(theirs.begin(), theirs.end()));
  }
}

TEST_CASE("outputs, loss and the gradient of every parameter are PyTorch's") {
  for (const auto& [which, recorded] : recorded_cases()) {
    const auto& variant = which;
    CAPTURE(variant.name);
    SmallModel model(variant.options);
    const Transformer& transformer = model.transformer;
    load(model.parameters, recorded);
    const SmallBatch batch = load_batch(recorded, "batch0");

    const Tensor memory = transformer.encode(batch.source, batch.source_segments, Mode::evaluate);
    const Tensor hidden = hidden_of(transformer, batch);
    CHECK(relative_difference(memory.span(), recorded.numbers("memory")) < 1e-5);
    CHECK(relative_difference(hidden.span(), recorded.numbers("hidden")) < 1e-5);
    CHECK(relative_difference(transformer.logits(hidden).span(), recorded.numbers("logits")) <
          1e-5);

    const Tape tape;
    const TokenLoss loss = loss_of(transformer, batch, real(0.1), Mode::train);
    CHECK(loss.loss.item() == doctest::Approx(recorded.numbers("loss").front()).epsilon(1e-5));
    CHECK(loss.nll == doctest::Approx(recorded.numbers("nll").front()).epsilon(1e-5));
    CHECK(loss.correct == recorded.integers("correct").front());
    backward(loss.loss, real(1) / static_cast<real>(loss.tokens));
    for (const Parameters::Entry& entry : model.parameters.entries()) {
      CAPTURE(entry.name);
      CHECK(relative_difference(entry.tensor.gradient().span(),
                                recorded.numbers("gradient." + entry.name)) < 1e-5);
    }
  }
}

// Clears `decided` for the numbers of a parameter whose gradient may be only rounding error. Adam's
// first step has the same size for a gradient of 1e-7 as for one of 1, so rounding would decide its
// sign.
void forget_undecided(std::span<const real> gradient, std::vector<bool>& decided) {
  real largest = 0;
  for (const real g : gradient) largest = std::max(largest, std::abs(g));
  decided.resize(gradient.size(), true);
  for (size_t i = 0; i < gradient.size(); ++i) {
    if (gradient[i] != 0 && std::abs(gradient[i]) < real(1e-6) * largest) decided[i] = false;
  }
}

TEST_CASE("ten steps of Adam with noam, label smoothing and clipping end at PyTorch's weights") {
  for (const auto& [which, recorded] : recorded_cases()) {
    const auto& variant = which;
    CAPTURE(variant.name);
    SmallModel model(variant.options);
    load(model.parameters, recorded);
    const SmallBatch batches[] = {load_batch(recorded, "batch0"), load_batch(recorded, "batch1")};
    const Noam schedule{.factor = 1, .d_model = variant.options.layer.d_model, .warmup_steps = 50};
    Optimizer optimizer(model.parameters, AdamSettings{}, /*clip_norm=*/0.5);

    const std::vector<real> losses = recorded.numbers("steps.loss");
    const std::vector<real> norms = recorded.numbers("steps.gradient_norm");
    const auto& entries = model.parameters.entries();
    std::vector<std::vector<bool>> decided(entries.size());
    for (size_t step = 1; step <= losses.size(); ++step) {
      model.parameters.clear_gradients();
      const Tape tape;
      const TokenLoss loss = loss_of(model.transformer, batches[step % 2], real(0.1), Mode::train);
      backward(loss.loss);
      for (size_t e = 0; e < entries.size(); ++e) {
        forget_undecided(entries[e].tensor.gradient().span(), decided[e]);
      }
      const auto tokens = static_cast<double>(loss.tokens);
      const UpdateReport report = optimizer.update(
          model.parameters, learning_rate(schedule, static_cast<int64_t>(step)), 1 / tokens);
      CHECK(double(loss.loss.item()) / tokens == doctest::Approx(losses[step - 1]).epsilon(1e-4));
      CHECK(report.gradient_norm == doctest::Approx(norms[step - 1]).epsilon(1e-4));
    }
    int64_t undecided = 0;
    for (size_t e = 0; e < entries.size(); ++e) {
      const Parameters::Entry& entry = entries[e];
      CAPTURE(entry.name);
      const std::vector<real> theirs = recorded.numbers("trained." + entry.name);
      double difference = 0;
      for (size_t i = 0; i < theirs.size(); ++i) {
        if (is_key_bias(entry.name, i, theirs.size())) continue;
        if (!decided[e][i]) {
          ++undecided;
          continue;
        }
        difference = worse(difference, std::abs(double(entry.values()[i]) - double(theirs[i])));
      }
      CHECK(difference < 1e-4);
    }
    CHECK(undecided * 1000 < model.parameters.count());
  }
}
