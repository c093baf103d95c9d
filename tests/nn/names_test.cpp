// The names, shapes, order and initial values of parameters. Checkpoints depend on them, so a
// change here changes the format.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "nn/models/classification_head.h"
#include "nn/small_model.h"
#include "optim/flat.h"

using namespace calque;

namespace {

// "name [shape]" of every parameter, in order.
std::vector<std::string> listing(const Parameters& parameters) {
  std::vector<std::string> lines;
  for (const Parameters::Entry& entry : parameters.entries()) {
    lines.push_back(fmt::format("{} {}", entry.name, entry.shape));
  }
  return lines;
}

TransformerOptions one_layer() {
  TransformerOptions options = small_options();
  options.encoder_layers = options.decoder_layers = 1;
  return options;
}

std::vector<std::string> listing(const TransformerOptions& options) {
  Parameters parameters;
  const Transformer transformer(Path(parameters), options);
  return listing(parameters);
}

double deviation(std::span<const real> values) {
  double squares = 0;
  for (const real v : values) squares += double(v) * double(v);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

}  // namespace

TEST_CASE("the parameters of the paper's model have these names, in this order") {
  CHECK(listing(one_layer()) ==
        std::vector<std::string>{"embedding.weight [13, 8]",
                                 "encoder.layers.0.self_attention.qkv.weight [8, 24]",
                                 "encoder.layers.0.self_attention.qkv.bias [24]",
                                 "encoder.layers.0.self_attention.output.weight [8, 8]",
                                 "encoder.layers.0.self_attention.output.bias [8]",
                                 "encoder.layers.0.self_attention_norm.gain [8]",
                                 "encoder.layers.0.self_attention_norm.bias [8]",
                                 "encoder.layers.0.feed_forward.inner.weight [8, 12]",
                                 "encoder.layers.0.feed_forward.inner.bias [12]",
                                 "encoder.layers.0.feed_forward.outer.weight [12, 8]",
                                 "encoder.layers.0.feed_forward.outer.bias [8]",
                                 "encoder.layers.0.feed_forward_norm.gain [8]",
                                 "encoder.layers.0.feed_forward_norm.bias [8]",
                                 "decoder.layers.0.self_attention.qkv.weight [8, 24]",
                                 "decoder.layers.0.self_attention.qkv.bias [24]",
                                 "decoder.layers.0.self_attention.output.weight [8, 8]",
                                 "decoder.layers.0.self_attention.output.bias [8]",
                                 "decoder.layers.0.self_attention_norm.gain [8]",
                                 "decoder.layers.0.self_attention_norm.bias [8]",
                                 "decoder.layers.0.cross_attention.query.weight [8, 8]",
                                 "decoder.layers.0.cross_attention.query.bias [8]",
                                 "decoder.layers.0.cross_attention.key_value.weight [8, 16]",
                                 "decoder.layers.0.cross_attention.key_value.bias [16]",
                                 "decoder.layers.0.cross_attention.output.weight [8, 8]",
                                 "decoder.layers.0.cross_attention.output.bias [8]",
                                 "decoder.layers.0.cross_attention_norm.gain [8]",
                                 "decoder.layers.0.cross_attention_norm.bias [8]",
                                 "decoder.layers.0.feed_forward.inner.weight [8, 12]",
                                 "decoder.layers.0.feed_forward.inner.bias [12]",
                                 "decoder.layers.0.feed_forward.outer.weight [12, 8]",
                                 "decoder.layers.0.feed_forward.outer.bias [8]",
                                 "decoder.layers.0.feed_forward_norm.gain [8]",
                                 "decoder.layers.0.feed_forward_norm.bias [8]"});
}

TEST_CASE("norms of queries and keys are parameters of every attention, of the size of a head") {
  TransformerOptions options = one_layer();
  options.layer.qk_norm = true;
  const std::vector<std::string> lines = listing(options);
  for (const std::string at : {"encoder.layers.0.self_attention", "decoder.layers.0.self_attention",
                               "decoder.layers.0.cross_attention"}) {
    CAPTURE(at);
    CHECK(std::ranges::count(lines, at + ".query_norm.gain [4]") == 1);
    CHECK(std::ranges::count(lines, at + ".key_norm.gain [4]") == 1);
  }
  CHECK(lines.size() == listing(one_layer()).size() + 6);
}

TEST_CASE(
    "shared keys and values, wide heads, few biases and two norms have their shapes and names") {
  TransformerOptions options = one_layer();
  options.layer.heads = 4;
  options.layer.kv_heads = 2;
  options.layer.head_width = 6;
  options.layer.norm_placement = NormPlacement::both;
  options.layer.norm_kind = NormKind::rms;
  options.layer.biases = BiasedLayers::qkv;
  const std::vector<std::string> lines = listing(options);
  const auto has = [&](const std::string& line) { return std::ranges::count(lines, line) == 1; };
  CHECK(has("encoder.layers.0.self_attention.qkv.weight [8, 48]"));
  CHECK(has("encoder.layers.0.self_attention.qkv.bias [48]"));
  CHECK(has("encoder.layers.0.self_attention.output.weight [24, 8]"));
  CHECK(has("encoder.layers.0.self_attention_norm.after.gain [8]"));
  CHECK(has("decoder.layers.0.cross_attention.query.weight [8, 24]"));
  CHECK(has("decoder.layers.0.cross_attention.key_value.weight [8, 24]"));
  CHECK(has("encoder.norm.gain [8]"));
  CHECK_FALSE(has("encoder.layers.0.self_attention.output.bias [8]"));
  CHECK_FALSE(has("encoder.layers.0.feed_forward.inner.bias [12]"));
}

TEST_CASE(
    "untied, pre-norm, RMS norm, SwiGLU, learned positions and output bias have their names") {
  TransformerOptions options = one_layer();
  options.target_vocabulary = 11;
  options.tying = Tying::none;
  options.layer.norm_placement = NormPlacement::pre;
  options.layer.norm_kind = NormKind::rms;
  options.layer.activation = Activation::swiglu;
  options.layer.positions = PositionKind::learned;
  options.output_bias = true;
  const std::vector<std::string> lines = listing(options);
  const std::vector<std::string> first(lines.begin(), lines.begin() + 4);
  CHECK(first == std::vector<std::string>{
                     "source_embedding.weight [13, 8]", "source_positions.weight [16, 8]",
                     "target_embedding.weight [11, 8]", "target_positions.weight [16, 8]"});
  for (const char* line :
       {"encoder.layers.0.feed_forward.inner.weight [8, 24]", "encoder.norm.gain [8]",
        "decoder.norm.gain [8]", "output.weight [11, 8]", "output.bias [11]"}) {
    CAPTURE(line);
    CHECK(std::ranges::find(lines, line) != lines.end());
  }
  CHECK(lines.back() == "output.bias [11]");
}

TEST_CASE(
    "only token tables and the output projection belong to a vocabulary, only matrices decay") {
  TransformerOptions options = one_layer();
  options.target_vocabulary = 11;
  options.tying = Tying::none;
  options.layer.positions = PositionKind::learned;
  options.output_bias = true;
  Parameters parameters;
  const Transformer transformer(Path(parameters), options);
  std::vector<std::string> of_vocabulary, tables;
  for (const Parameters::Entry& entry : parameters.entries()) {
    CAPTURE(entry.name);
    if (belongs_to_vocabulary(entry.role)) of_vocabulary.push_back(entry.name);
    const bool decays = is_decayed(entry, Decayed::matrices);
    CHECK(decays == (entry.shape.axes() == 2));
    if (decays && !is_decayed(entry, Decayed::matrices_but_embeddings)) {
      tables.push_back(entry.name);
    }
  }
  CHECK(of_vocabulary == std::vector<std::string>{"source_embedding.weight",
                                                  "target_embedding.weight", "output.weight",
                                                  "output.bias"});
  CHECK(tables == std::vector<std::string>{"source_embedding.weight", "source_positions.weight",
                                           "target_embedding.weight", "target_positions.weight"});
}

TEST_CASE("the segment kinds and the head of a classifier do not belong to a vocabulary") {
  ClassifierOptions options;
  options.encoder = {.layer = one_layer().layer, .vocabulary = 13, .layers = 1, .segment_kinds = 2};
  Parameters parameters;
  const Classifier classifier(Path(parameters), options);
  std::vector<std::string> of_vocabulary, tables;
  for (const Parameters::Entry& entry : parameters.entries()) {
    if (belongs_to_vocabulary(entry.role)) of_vocabulary.push_back(entry.name);
    const bool decays = is_decayed(entry, Decayed::matrices);
    CHECK(decays == (entry.shape.axes() == 2));
    if (decays && !is_decayed(entry, Decayed::matrices_but_embeddings)) {
      tables.push_back(entry.name);
    }
  }
  CHECK(of_vocabulary == std::vector<std::string>{"embedding.weight"});
  CHECK(tables == std::vector<std::string>{"embedding.weight", "segments.weight"});
}

TEST_CASE("tied tables are one tensor") {
  TransformerOptions options = one_layer();
  const SmallModel all(options);
  CHECK(all.transformer.target_embedding.weight.data() ==
        all.transformer.source_embedding.weight.data());
  CHECK(all.transformer.output.weight.data() == all.transformer.source_embedding.weight.data());
  options.tying = Tying::target;
  const SmallModel target(options);
  CHECK(target.transformer.target_embedding.weight.data() !=
        target.transformer.source_embedding.weight.data());
  CHECK(target.transformer.output.weight.data() ==
        target.transformer.target_embedding.weight.data());
}

TEST_CASE(
    "initial values are normal for embeddings, Xavier for weights, 0 for biases and 1 for gains") {
  TransformerOptions options = one_layer();
  options.source_vocabulary = options.target_vocabulary = 1000;
  options.layer.d_model = 64;
  options.layer.d_ff = 192;
  Parameters parameters;
  const Transformer transformer(Path(parameters), options);
  parameters.allocate();
  parameters.initialise(1);
  for (const Parameters::Entry& entry : parameters.entries()) {
    CAPTURE(entry.name);
    const std::span<const real> values = entry.values();
    if (entry.name.ends_with(".bias")) {
      CHECK(std::ranges::all_of(values, [](real v) { return v == 0; }));
    } else if (entry.name.ends_with(".gain")) {
      CHECK(std::ranges::all_of(values, [](real v) { return v == 1; }));
    } else if (entry.name == "embedding.weight") {
      CHECK(deviation(values) == doctest::Approx(1.0 / 8).epsilon(0.02));
    } else {
      // The projections of attention count as parts of one [64, 192] matrix.
      const bool output = entry.name.ends_with("attention.output.weight");
      const double limit = std::sqrt(6.0 / (64 + (output ? 64 : 192)));
      CHECK(double(std::ranges::max(values)) <= limit);
      CHECK(double(std::ranges::max(values)) > 0.99 * limit);
      CHECK(deviation(values) == doctest::Approx(limit / std::sqrt(3.0)).epsilon(0.03));
    }
  }
}

TEST_CASE("one more layer changes no other parameter's initial values") {
  TransformerOptions options = one_layer();
  const SmallModel shallow(options);
  options.encoder_layers = 3;
  const SmallModel deep(options);
  for (const Parameters::Entry& entry : shallow.parameters.entries()) {
    CHECK(std::ranges::equal(entry.values(), deep.parameters.find(entry.name)->values()));
  }
}
