// The keys of model.rotation, a small map.
#include "core/error.h"
#include "train/config/schema.h"
#include "train/config/small_map.h"

namespace calque {
namespace {

std::vector<RotationKey> declare_rotation_keys() {
  std::vector<RotationKey> table;
  Section in(
      "", [](auto& rotation) -> auto& { return rotation; }, table);
  Section scaled(
      "", [](auto& rotation) -> auto& { return rotation.scaling; }, table);
  constexpr OnResume fixed = OnResume::harmful;
  const auto unscaled = [](const Rotation& r) {
    return r.scaling.kind == RotationScalingKind::none;
  };
  const auto other = [](const Rotation& r) {
    return r.scaling.kind != RotationScalingKind::llama3;
  };
  constexpr std::string_view with_llama3 = "needs scaling: llama3";
  in.key("base", &Rotation::base, between(1.001, 1e12), fixed,
         "The slowest pair of a head turns once in almost 2 pi times so many tokens. Models for "
         "longer texts have larger bases.",
         "Hugging Face: rope_theta, rotary_emb_base");
  in.key("part", &Rotation::part, between(0.001, 1), fixed,
         "The part of the numbers of a head that rotates: the first ones.",
         "Hugging Face: partial_rotary_factor, rotary_pct");
  in.key("local_base", &Rotation::local_base, at_least(0), fixed,
         "The base in layers whose attention has a window, without scaling. 0: base.",
         "Hugging Face: rope_local_base_freq");
  scaled.key("scaling", &RotationScaling::kind, rotation_scalings, fixed,
             "How a model is stretched to texts that are longer than those of its training: all "
             "frequencies divided by factor (linear), or only the slow ones (llama3).",
             "Hugging Face: rope_scaling");
  scaled
      .key("factor", &RotationScaling::factor, between(0.001, 100000), fixed,
           "How many times longer the texts are.")
      .idle_if(unscaled, "needs scaling");
  scaled
      .key("low", &RotationScaling::low, between(0.001, 100000), fixed,
           "Pairs that turn less often than this in the original texts are divided by factor.",
           "Hugging Face: low_freq_factor")
      .idle_if(other, with_llama3);
  scaled
      .key("high", &RotationScaling::high, between(0.001, 100000), fixed,
           "Pairs that turn more often than this in the original texts keep their frequency.",
           "Hugging Face: high_freq_factor")
      .idle_if(other, with_llama3);
  scaled
      .key("original", &RotationScaling::original, between(1, 1 << 24), fixed,
           "The length of the original texts in tokens.",
           "Hugging Face: original_max_position_embeddings")
      .idle_if(other, with_llama3);
  return table;
}

}  // namespace

const std::vector<RotationKey>& rotation_keys() {
  static const std::vector<RotationKey> keys = declare_rotation_keys();
  return keys;
}

void read_value(const YamlValue& from, std::string_view key, const Range& range, Rotation& to) {
  if (from.kind != YamlValue::Kind::map) refuse_value(from, key, allowed_values(range, to));
  Rotation rotation;
  read_small_map(from, key, rotation_keys(), rotation);
  if (rotation.scaling.high <= rotation.scaling.low) {
    fail("{}: {}.high: {} must be above low: {}", from.place.text(), key, rotation.scaling.high,
         rotation.scaling.low);
  }
  to = rotation;
}

std::string write_value(const Rotation& rotation) {
  return rotation == Rotation() ? "{}" : write_small_map(rotation_keys(), rotation);
}

std::string allowed_values(const Range&, const Rotation&) { return "a map such as {base: 500000}"; }

}  // namespace calque
