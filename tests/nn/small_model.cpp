#include "nn/small_model.h"

#include <algorithm>
#include <cmath>

#include "support/worse.h"

namespace calque {
namespace {

std::string joined(std::initializer_list<std::string_view> words) {
  return fmt::format("{}", fmt::join(words, " "));
}

void add_other_choices(std::vector<Variant>& list) {
  const auto add = [&](std::string name, auto&& change) {
    TransformerOptions options = small_options();
    change(options);
    list.push_back({std::move(name), options});
  };
  add("post silu halves", [](TransformerOptions& o) {
    o.layer.activation = Activation::silu;
    o.layer.positions = PositionKind::halves;
  });
  add("pre swiglu rotary rms", [](TransformerOptions& o) {
    o.layer.norm_placement = NormPlacement::pre;
    o.layer.activation = Activation::swiglu;
    o.layer.positions = PositionKind::rotary;
    o.layer.norm_kind = NormKind::rms;
  });
  add("post rms t2t one head", [](TransformerOptions& o) {
    o.layer.norm_kind = NormKind::rms;
    o.layer.positions = PositionKind::t2t;
    o.layer.heads = 1;
  });
  add("pre learned output bias", [](TransformerOptions& o) {
    o.layer.norm_placement = NormPlacement::pre;
    o.layer.positions = PositionKind::learned;
    o.output_bias = true;
  });
  add("post sparse", [](TransformerOptions& o) {
    o.layer.attention = {.window = 1, .global = 1, .random = 1, .block = 1};
    o.layer.positions = PositionKind::rotary;
  });
  add("pre rotary qk norm", [](TransformerOptions& o) {
    o.layer.norm_placement = NormPlacement::pre;
    o.layer.positions = PositionKind::rotary;
    o.layer.qk_norm = true;
  });
  add("both, shared keys and values", [](TransformerOptions& o) {
    o.layer.norm_placement = NormPlacement::both;
    o.layer.norm_kind = NormKind::rms_centered;
    o.layer.activation = Activation::geglu;
    o.layer.heads = 4;
    o.layer.kv_heads = 2;
    o.layer.head_width = 3;
    o.layer.attention_cap = 3;
    o.layer.biases = BiasedLayers::attention;
  });
  add("post none", [](TransformerOptions& o) { o.layer.positions = PositionKind::none; });
}

}  // namespace

TransformerOptions small_options() {
  TransformerOptions options;
  options.source_vocabulary = options.target_vocabulary = 13;
  options.layer.d_model = 8;
  options.layer.d_ff = 12;
  options.layer.heads = 2;
  options.encoder_layers = options.decoder_layers = 2;
  options.layer.max_positions = 16;
  options.layer.dropout = 0;
  return options;
}

std::vector<Variant> variants() {
  std::vector<Variant> list;
  for (const auto& placement : {norm_placements[0], norm_placements[1]}) {
    for (const auto& tying : tyings) {
      for (const auto& kind : {activations[0], activations[1]}) {
        TransformerOptions options = small_options();
        options.layer.norm_placement = placement.choice;
        options.tying = tying.choice;
        options.layer.activation = kind.choice;
        options.output_bias = tying.choice == Tying::none;
        if (tying.choice != Tying::all) options.target_vocabulary = 11;
        list.push_back({joined({placement.name, tying.name, kind.name}), options});
      }
    }
  }
  add_other_choices(list);
  return list;
}

SmallModel::SmallModel(const TransformerOptions& options, uint64_t seed)
    : transformer(Path(parameters), options) {
  initialise_with_noise(parameters, seed);
}

RecurrentOptions small_recurrent_options(int64_t vocabulary) {
  return {.d_model = 6,
          .hidden = 5,
          .source_vocabulary = vocabulary,
          .target_vocabulary = vocabulary,
          .encoder_layers = 1,
          .dropout = 0};
}

SmallRecurrent::SmallRecurrent(const RecurrentOptions& options, uint64_t seed)
    : model(Path(parameters), options) {
  initialise_with_noise(parameters, seed);
}

void initialise_with_noise(Parameters& parameters, uint64_t seed) {
  parameters.allocate();
  parameters.initialise(seed);
  for (const Parameters::Entry& entry : parameters.entries()) {
    std::vector<real> noise(entry.values().size());
    fill_normal({.seed = seed ^ hash_text(entry.name), .use = 1}, 0, real(0.1), noise);
    std::ranges::transform(entry.values(), noise, entry.values().begin(), std::plus<>());
  }
}

SmallBatch random_batch(const TransformerOptions& options,
                        const std::vector<std::pair<int32_t, int32_t>>& lengths, uint64_t seed) {
  Random random({.seed = seed});
  const auto draw = [&](int64_t vocabulary) {
    return static_cast<int32_t>(random.below(static_cast<uint64_t>(vocabulary)));
  };
  SmallBatch batch;
  for (const auto& [source, target] : lengths) {
    for (int32_t i = 0; i < source; ++i) batch.source.push_back(draw(options.source_vocabulary));
    for (int32_t i = 0; i < target; ++i) {
      batch.decoder_input.push_back(draw(options.target_vocabulary));
      batch.expected.push_back(draw(options.target_vocabulary));
    }
    batch.source_segments.append(source);
    batch.target_segments.append(target);
  }
  return batch;
}

SmallBatch chosen_sentences(const SmallBatch& batch, const std::vector<int64_t>& numbers) {
  const auto append = [](std::vector<int32_t>& to, const std::vector<int32_t>& from,
                         const Segments& segments, int64_t number) {
    to.insert(to.end(), from.begin() + segments.begin(number), from.begin() + segments.end(number));
  };
  SmallBatch chosen;
  for (const int64_t number : numbers) {
    append(chosen.source, batch.source, batch.source_segments, number);
    append(chosen.decoder_input, batch.decoder_input, batch.target_segments, number);
    append(chosen.expected, batch.expected, batch.target_segments, number);
    chosen.source_segments.append(batch.source_segments.length(number));
    chosen.target_segments.append(batch.target_segments.length(number));
  }
  return chosen;
}

TokenLoss loss_of(Translator model, const SmallBatch& batch, real label_smoothing, Mode mode,
                  real agreement) {
  return model.loss(batch.source, batch.source_segments, batch.decoder_input, batch.expected,
                    batch.target_segments, label_smoothing, mode, agreement);
}

Tensor hidden_of(Translator model, const SmallBatch& batch) {
  const Tensor memory = model.encode(batch.source, batch.source_segments, Mode::evaluate);
  return model.decode(batch.decoder_input, batch.target_segments, memory, batch.source_segments,
                      Mode::evaluate);
}

double relative_difference(std::span<const real> a, std::span<const real> b) {
  require(a.size() == b.size(), "relative_difference: {} and {} numbers", a.size(), b.size());
  double difference = 0, size = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference = worse(difference, std::abs(double(a[i]) - double(b[i])));
    size = std::max(size, std::abs(double(b[i])));
  }
  return size > 0 ? difference / size : difference;
}

}  // namespace calque
