// The architectures of llama.cpp that calque imports: what their keys say, and what they imply.
#include <algorithm>
#include <cmath>

#include "interop/gguf/format.h"
#include "interop/gguf/settings.h"
#include "interop/model.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

// The model `kind` of a file, whose keys begin with that name.
struct Source {
  const GgufSettings& from;
  const ForeignTensors& tensors;
  std::string kind;

  std::string key(std::string_view end) const { return fmt::format("{}.{}", kind, end); }
  int64_t whole(std::string_view end, int64_t most, std::optional<int64_t> fallback = {}) const {
    return from.whole(key(end), 1, most, fallback);
  }
  double number(std::string_view end, double fallback) const {
    const auto* value = from.find<float>(key(end));
    return value ? static_cast<double>(*value) : fallback;
  }
};

void read_sizes(const Source& source, Config& to) {
  ModelConfig& model = to.model;
  model.norm_placement = NormPlacement::pre;
  model.scale_embeddings = false;
  model.dropout = 0;
  to.data.context = source.whole("context_length", 1 << 20);
  model.d_model = source.whole("embedding_length", most_units);
  model.layers = source.whole("block_count", 1000);
  model.d_ff = source.whole("feed_forward_length", 1 << 20);
  model.heads = source.whole("attention.head_count", 1024);
}

// llama.cpp approximates GELU by tanh.
void read_gpt(const Source& source, Config& to) {
  to.model.activation = Activation::gelu_tanh;
  to.model.norm_epsilon = source.from.get<float>(source.key("attention.layer_norm_epsilon"));
}

// Finds the numbers of the scaling llama3 that give these factors. The file holds only the factors;
// all published models have these frequencies of turns and this length.
void read_factors(const Source& source, const Tensor& factors, Rotation& to, int64_t head_size) {
  to.scaling = {.kind = RotationScalingKind::llama3,
                .factor = static_cast<double>(*std::ranges::max_element(factors.span())),
                .low = 1,
                .high = 4,
                .original = 8192};
  const std::vector<double> expected = rotation_factors(to, head_size);
  for (size_t k = 0; k < expected.size(); ++k) {
    const auto factor = static_cast<double>(factors.span()[k]);
    if (std::abs(expected[k] - factor) > 1e-3 * factor) {
      fail("{}: rope_freqs.weight is not the scaling of Llama 3", source.from.place());
    }
  }
}

void read_rotation(const Source& source, int64_t head_size, ModelConfig& to) {
  to.positions = PositionKind::rotary;
  to.rotation.base = source.number("rope.freq_base", 10000);
  const int64_t rotated = source.whole("rope.dimension_count", head_size, head_size);
  to.rotation.part = static_cast<double>(rotated) / static_cast<double>(head_size);
  const auto* scaling = source.from.find<std::string>(source.key("rope.scaling.type"));
  if (scaling && *scaling == "linear") {
    to.rotation.scaling = {.kind = RotationScalingKind::linear,
                           .factor = source.number("rope.scaling.factor", 1)};
  } else if (scaling && *scaling != "none") {
    source.from.refuse(source.key("rope.scaling.type"),
                       fmt::format("is {}; calque has none and linear", *scaling));
  }
  const Tensor* factors = source.tensors.find("rope_freqs.weight");
  if (!factors) return;
  if (factors->size() != head_size / 2) {
    fail("{}: rope_freqs.weight has {} numbers for heads of {}", source.from.place(),
         factors->size(), head_size);
  }
  read_factors(source, *factors, to.rotation, head_size);
}

BiasedLayers biases_of(const ForeignTensors& tensors) {
  const auto has = [&](const char* name) {
    return tensors.has(fmt::format("blk.0.{}.bias", name));
  };
  if (has("ffn_gate") || has("ffn_up") || has("ffn_down")) return BiasedLayers::all;
  if (has("attn_output")) return BiasedLayers::attention;
  return has("attn_q") ? BiasedLayers::qkv : BiasedLayers::none;
}

void read_llama(const Source& source, Config& to) {
  ModelConfig& model = to.model;
  model.norm_kind = NormKind::rms;
  model.activation = Activation::swiglu;
  model.norm_epsilon = source.from.get<float>(source.key("attention.layer_norm_rms_epsilon"));
  model.biases = biases_of(source.tensors);
  const std::string kv = "attention.head_count_kv";
  const int64_t kv_heads = source.whole(kv, 1024, model.heads);
  if (model.heads % kv_heads != 0) source.from.refuse(source.key(kv), "must divide head_count");
  const int64_t share = equal_share(model);
  const int64_t size = source.whole("attention.key_length", most_units,
                                    share > 0 ? std::optional<int64_t>(share) : std::nullopt);
  source.from.whole(source.key("attention.value_length"), size, size, size);
  set_heads(model, kv_heads, size);
  read_rotation(source, size, model);
}

void read_qwen3(const Source& source, Config& to) {
  read_llama(source, to);
  to.model.qk_norm = true;
}

// llama.cpp knows by architecture: the base of layers with a window, that every sixth layer has
// none, and that the largest model scales scores by another width.
void read_gemma3(const Source& source, Config& to) {
  read_llama(source, to);
  ModelConfig& model = to.model;
  model.norm_placement = NormPlacement::both;
  model.activation = Activation::geglu_tanh;
  model.qk_norm = true;
  model.scale_embeddings = true;
  constexpr int64_t layers_of_the_largest = 62;
  if (model.layers == layers_of_the_largest) {
    model.attention_scale =
        std::sqrt(static_cast<real>(model.heads) / static_cast<real>(model.d_model));
  }
  if (!source.from.find<uint32_t>(source.key("attention.sliding_window"))) return;
  const int64_t window = source.from.whole(source.key("attention.sliding_window"), 0, 1 << 24);
  if (window < 2) return;
  model.attention = {.window = window - 1, .full_every = 6};
  model.rotation.local_base = 10000;
}

void read_gpt2(const Source& source, Config& to) {
  read_gpt(source, to);
  to.model.positions = PositionKind::learned;
}

void read_gpt_neox(const Source& source, Config& to) {
  read_gpt(source, to);
  read_rotation(source, to.model.d_model / to.model.heads, to.model);
  const std::string key = source.key("use_parallel_residual");
  const auto* parallel = source.from.find<bool>(key);
  if (!parallel || *parallel) source.from.refuse(key, "must be false");
}

struct Architecture {
  std::string_view name;
  void (*read)(const Source& source, Config& to);
};
constexpr Architecture architectures[] = {{"llama", read_llama},      {"qwen2", read_llama},
                                          {"qwen3", read_qwen3},      {"gemma3", read_gemma3},
                                          {"gptneox", read_gpt_neox}, {"gpt2", read_gpt2}};

}  // namespace

void read_gguf_model(const GgufSettings& from, ForeignTensors& tensors, Config& to) {
  const Source source{from, tensors, from.get<std::string>("general.architecture")};
  const auto* found = std::ranges::find(architectures, source.kind, &Architecture::name);
  if (found == std::end(architectures)) {
    from.refuse("general.architecture",
                fmt::format("is {}; calque imports llama, qwen2, qwen3, gemma3, gptneox and gpt2",
                            printable(source.kind)));
  }
  read_sizes(source, to);
  found->read(source, to);
  tensors.drop("rope_freqs.weight");
}

}  // namespace calque
