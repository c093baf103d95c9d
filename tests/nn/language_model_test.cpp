// The decoder-only model: its parameters, what its outputs may depend on, and PyTorch's values
// (recorded by tests/reference/language_model.py).

#include "nn/models/language_model.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "nn/recorded.h"
#include "nn/small_language_model.h"
#include "nn/small_model.h"
#include "support/message_of.h"

using namespace calque;

namespace {

const real rounding = sizeof(real) == 4 ? real(1e-5) : real(1e-13);

std::span<const real> rows_of(const Tensor& x, int64_t begin, int64_t end) {
  return std::span<const real>(x.span()).subspan(static_cast<size_t>(begin * x.cols()),
                                                 static_cast<size_t>((end - begin) * x.cols()));
}

Tensor logits_of(const LanguageModel& model, const TextBatch& batch) {
  return model.logits(model.hidden(batch.ids, batch.segments, Mode::evaluate));
}

std::vector<std::string> names_of(const LanguageModelOptions& options) {
  Parameters parameters;
  const LanguageModel model(Path(parameters), options);
  std::vector<std::string> names;
  for (const Parameters::Entry& entry : parameters.entries()) names.push_back(entry.name);
  return names;
}

double deviation(const Parameters& parameters, std::string_view name) {
  double squares = 0;
  const std::span<const real> values = parameters.find(name)->values();
  for (const real v : values) squares += double(v) * double(v);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

}  // namespace

TEST_CASE("the parameters of a decoder-only model have these names, in this order") {
  LanguageModelOptions options = small_language_model_options();
  options.layers = 1;
  options.tied = false;
  options.output_bias = true;
  CHECK(names_of(options) ==
        std::vector<std::string>{
            "embedding.weight", "positions.weight", "layers.0.self_attention.qkv.weight",
            "layers.0.self_attention.qkv.bias", "layers.0.self_attention.output.weight",
            "layers.0.self_attention.output.bias", "layers.0.self_attention_norm.gain",
            "layers.0.self_attention_norm.bias", "layers.0.feed_forward.inner.weight",
            "layers.0.feed_forward.inner.bias", "layers.0.feed_forward.outer.weight",
            "layers.0.feed_forward.outer.bias", "layers.0.feed_forward_norm.gain",
            "layers.0.feed_forward_norm.bias", "norm.gain", "norm.bias", "output.weight",
            "output.bias"});
  options.tied = true;
  options.output_bias = false;
  options.layer.norm_placement = NormPlacement::post;
  options.layer.positions = PositionKind::rotary;
  const std::vector<std::string> names = names_of(options);
  CHECK(names.size() == 13);
  CHECK(names.back() == "layers.0.feed_forward_norm.bias");
}

TEST_CASE("a tied output projection is the embedding table") {
  const SmallLanguageModel small(small_language_model_options());
  CHECK(small.model.output.weight.data() == small.model.embedding.weight.data());
}

TEST_CASE("initial weights that write to the residual stream are scaled by 1 / sqrt(2 layers)") {
  LanguageModelOptions options = small_language_model_options();
  options.layers = 8;
  options.layer.d_model = 64;
  options.layer.d_ff = 192;
  Parameters parameters;
  const LanguageModel model(Path(parameters), options);
  parameters.allocate();
  parameters.initialise(1);
  // Xavier: sqrt(2 / (in + out)), and a quarter of it for 8 layers.
  CHECK(deviation(parameters, "layers.3.self_attention.output.weight") ==
        doctest::Approx(std::sqrt(2.0 / 128) / 4).epsilon(0.03));
  CHECK(deviation(parameters, "layers.7.feed_forward.outer.weight") ==
        doctest::Approx(std::sqrt(2.0 / 256) / 4).epsilon(0.03));
  CHECK(deviation(parameters, "layers.3.self_attention.qkv.weight") ==
        doctest::Approx(std::sqrt(2.0 / 256)).epsilon(0.03));
  CHECK(deviation(parameters, "layers.7.feed_forward.inner.weight") ==
        doctest::Approx(std::sqrt(2.0 / 256)).epsilon(0.03));
}

// With experts, earlier logits may differ by rounding, because the sizes of products depend on all
// tokens.
TEST_CASE("a change of a later token changes no earlier logit of a decoder-only model") {
  for (const LanguageModelVariant& variant : language_model_variants()) {
    CAPTURE(variant.name);
    const bool dense = variant.options.layer.experts.count == 0;
    const auto equal = [&](std::span<const real> a, std::span<const real> b) {
      return dense ? std::ranges::equal(a, b) : relative_difference(a, b) < rounding;
    };
    const SmallLanguageModel small(variant.options);
    TextBatch batch = random_text(variant.options, {4, 7, 2});
    const Tensor before = logits_of(small.model, batch);
    for (int32_t t = 4; t < 11; ++t) {
      const int32_t old = std::exchange(batch.ids[t], (batch.ids[t] + 1) % 11);
      const Tensor after = logits_of(small.model, batch);
      CHECK(equal(rows_of(before, 0, t), rows_of(after, 0, t)));
      CHECK_FALSE(equal(rows_of(before, t, t + 1), rows_of(after, t, t + 1)));
      CHECK_FALSE(equal(rows_of(before, 10, 11), rows_of(after, 10, 11)));
      CHECK(equal(rows_of(before, 11, 13), rows_of(after, 11, 13)));
      batch.ids[t] = old;
    }
  }
}

TEST_CASE("packed texts have the logits of each text alone") {
  for (const LanguageModelVariant& variant : language_model_variants()) {
    CAPTURE(variant.name);
    const SmallLanguageModel small(variant.options);
    const TextBatch batch = random_text(variant.options, {4, 1, 0, 7});
    const Tensor whole = logits_of(small.model, batch);
    for (int64_t i = 0; i < batch.segments.count(); ++i) {
      const int32_t begin = batch.segments.begin(i), end = batch.segments.end(i);
      const TextBatch one{.ids = {batch.ids.begin() + begin, batch.ids.begin() + end},
                          .expected = {},
                          .segments = Segments::of_lengths(std::vector{end - begin})};
      CHECK(relative_difference(logits_of(small.model, one).span(), rows_of(whole, begin, end)) <
            rounding);
    }
  }
}

TEST_CASE("a text that starts at a later position uses the positions from that one on") {
  const SmallLanguageModel small(small_language_model_options());
  const TextBatch batch = random_text(small.model.options, {3});
  const auto hidden = [&](std::vector<int32_t> starts) {
    return small.model.hidden(batch.ids, batch.segments, Mode::evaluate, nullptr, starts);
  };
  CHECK(relative_difference(hidden({0}).span(), hidden({}).span()) == 0);
  CHECK(relative_difference(hidden({5}).span(), hidden({}).span()) > 0.01);
  CHECK_THROWS_AS(hidden({14}), Error);  // there are 16 learned positions
}

TEST_CASE("every attention of a decoder-only model records its weights") {
  const SmallLanguageModel small(small_language_model_options());
  const TextBatch batch = random_text(small.model.options, {3, 2});
  AttentionRecord record;
  small.model.hidden(batch.ids, batch.segments, Mode::evaluate, &record);
  REQUIRE(record.entries.size() == 2);
  const Tensor& weights = record.at("layers.1.self_attention").sentences.at(0);
  CHECK(weights.shape() == Shape{2, 3, 3});
  CHECK(weights.data()[1] == 0);  // the first token does not see the second
}

TEST_CASE("invalid options of a decoder-only model are refused") {
  const auto refusal = [](auto&& change) {
    LanguageModelOptions options = small_language_model_options();
    change(options);
    return message_of<Error>([&] { validate(options); });
  };
  CHECK(refusal([](auto&) {}).empty());
  CHECK(refusal([](auto& o) { o.vocabulary = 0; }) == "vocabulary is 0; it must be at least 1");
  CHECK(refusal([](auto& o) { o.layers = -1; }) == "layers is -1; it must be at least 1");
  CHECK_FALSE(refusal([](auto& o) { o.layer.heads = 3; }).empty());
  CHECK(refusal([](auto& o) { o.layer.residual_initial_scale = -1; }) ==
        "residual_initial_scale is -1; it must be at least 0");
}

TEST_CASE("a text that contradicts its segments is a Misuse") {
  const SmallLanguageModel small(small_language_model_options());
  TextBatch batch = random_text(small.model.options, {3, 2});
  batch.expected.pop_back();
  CHECK_THROWS_AS(small.model.loss(batch.ids, batch.expected, batch.segments, 0, Mode::evaluate),
                  Misuse);
  batch.ids.pop_back();
  CHECK_THROWS_AS(small.model.hidden(batch.ids, batch.segments, Mode::evaluate), Misuse);
}

TEST_CASE("logits, loss and every gradient of a decoder-only model are PyTorch's") {
  for (const bool tied : {true, false}) {
    CAPTURE(tied);
    const Recorded recorded(fmt::format("language_model/{}.safetensors", tied ? "tied" : "untied"));
    LanguageModelOptions options = small_language_model_options();
    options.tied = tied;
    options.output_bias = !tied;
    const SmallLanguageModel small(options);
    std::set<std::string> names;
    for (const Parameters::Entry& entry : small.parameters.entries()) {
      CAPTURE(entry.name);
      names.insert(entry.name);
      const std::vector<real> values = recorded.numbers("initial." + entry.name);
      REQUIRE(values.size() == entry.values().size());
      std::ranges::copy(values, entry.values().begin());
    }
    const std::vector<std::string> theirs = recorded.names_after("initial.");
    CHECK(names == std::set<std::string>(theirs.begin(), theirs.end()));
    const TextBatch batch{.ids = recorded.integers("ids"),
                          .expected = recorded.integers("expected"),
                          .segments = Segments::of_lengths(recorded.integers("lengths"))};
    CHECK(relative_difference(logits_of(small.model, batch).span(), recorded.numbers("logits")) <
          1e-5);

    const Tape tape;
    const TokenLoss loss =
        small.model.loss(batch.ids, batch.expected, batch.segments, real(0.1), Mode::train);
    CHECK(double(loss.loss.item()) ==
          doctest::Approx(double(recorded.numbers("loss").front())).epsilon(1e-5));
    CHECK(loss.nll == doctest::Approx(double(recorded.numbers("nll").front())).epsilon(1e-5));
    backward(loss.loss);
    for (const Parameters::Entry& entry : small.parameters.entries()) {
      CAPTURE(entry.name);
      CHECK(relative_difference(entry.tensor.gradient().span(),
                                recorded.numbers("gradient." + entry.name)) < 1e-5);
    }
  }
}
