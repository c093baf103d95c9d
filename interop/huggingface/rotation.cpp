#include "interop/huggingface/rotation.h"

#include <nlohmann/json.hpp>

#include "core/error.h"

namespace calque {
namespace {

ForeignJson part_of(const ForeignJson& whole, const char* name) {
  return {whole.json()[name], whole.path() + ": " + name};
}

// Reads one set of frequencies, of version 4 or 5.
void read_frequencies(const ForeignJson& from, Rotation& to) {
  for (const char* name : {"rope_theta", "rotary_emb_base"}) to.base = from.number(name, to.base);
  for (const char* name : {"partial_rotary_factor", "rotary_pct"}) {
    to.part = from.number(name, to.part);
  }
  if (!(to.base > 1)) from.refuse("rope_theta", "must be above 1");
  if (!(to.part > 0 && to.part <= 1)) from.refuse("partial_rotary_factor", "must be from 0 to 1");
}

void read_scaling(const ForeignJson& from, RotationScaling& to) {
  const std::string type = from.text("rope_type", from.text("type", "default"));
  const auto positive = [&](const char* name) {
    const double value = from.number(name);
    if (!(value > 0)) from.refuse(name, "must be above 0");
    return value;
  };
  if (type == "default") return;
  if (type != "linear" && type != "llama3") {
    from.refuse("rope_type", fmt::format("is {}; calque has default, linear and llama3", type));
  }
  to.factor = positive("factor");
  to.kind = RotationScalingKind::linear;
  if (type == "linear") return;
  to.kind = RotationScalingKind::llama3;
  to.low = positive("low_freq_factor");
  to.high = positive("high_freq_factor");
  to.original = from.integer("original_max_position_embeddings", 1, int64_t{1} << 30);
  if (to.high <= to.low) from.refuse("high_freq_factor", "must be above low_freq_factor");
}

void read_parameters(const ForeignJson& parameters, Rotation& to) {
  if (!parameters.has("full_attention")) {
    read_frequencies(parameters, to);
    return read_scaling(parameters, to.scaling);
  }
  const ForeignJson full = part_of(parameters, "full_attention");
  read_frequencies(full, to);
  read_scaling(full, to.scaling);
  if (!parameters.has("sliding_attention")) return;
  const ForeignJson sliding = part_of(parameters, "sliding_attention");
  RotationScaling local;
  read_scaling(sliding, local);
  if (local != RotationScaling()) sliding.refuse("rope_type", "must be default");
  to.local_base = sliding.number("rope_theta", 10000.0);
}

}  // namespace

Rotation read_rotation(const ForeignJson& config) {
  Rotation rotation;
  read_frequencies(config, rotation);
  if (config.has("rope_scaling")) read_scaling(part_of(config, "rope_scaling"), rotation.scaling);
  rotation.local_base = config.number("rope_local_base_freq", 0.0);
  if (config.has("rope_parameters")) read_parameters(part_of(config, "rope_parameters"), rotation);
  return rotation;
}

void describe_rotation(const Rotation& rotation, nlohmann::ordered_json& config) {
  const RotationScaling& scaling = rotation.scaling;
  config["rope_theta"] = rotation.base;
  if (rotation.local_base != 0) config["rope_local_base_freq"] = rotation.local_base;
  if (scaling.kind == RotationScalingKind::none) return;
  nlohmann::ordered_json of;
  of["rope_type"] = name_of(rotation_scalings, scaling.kind);
  of["factor"] = scaling.factor;
  if (scaling.kind == RotationScalingKind::llama3) {
    of["low_freq_factor"] = scaling.low;
    of["high_freq_factor"] = scaling.high;
    of["original_max_position_embeddings"] = scaling.original;
  }
  config["rope_scaling"] = of;
}

}  // namespace calque
