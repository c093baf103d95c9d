// The keys of model.adapter, a small map.
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"
#include "train/config/schema.h"
#include "train/config/small_map.h"

namespace calque {
namespace {

using A = AdapterOptions;

constexpr std::string_view places = "a list of attention and feed_forward";

void read_places(const YamlValue& from, A& to) {
  std::vector<std::string> names;
  read_value(from, "model.adapter.on", {}, names);
  const auto named = [&](std::string_view place) { return std::ranges::count(names, place); };
  to.attention = named("attention") > 0;
  to.feed_forward = named("feed_forward") > 0;
  if (names.empty() || named("attention") + named("feed_forward") != std::ssize(names)) {
    refuse_value(from, "model.adapter.on", places);
  }
}

std::string write_places(const A& adapter) {
  std::vector<std::string> names;
  if (adapter.attention) names.emplace_back("attention");
  if (adapter.feed_forward) names.emplace_back("feed_forward");
  return write_value(names);
}

std::vector<AdapterKey> declare_adapter_keys() {
  std::vector<AdapterKey> table;
  Section in(
      "", [](auto& adapter) -> auto& { return adapter; }, table);
  constexpr OnResume fixed = OnResume::harmful;
  in.key("kind", &A::kind, adapter_kinds, fixed,
         "lora: the product of two thin matrices, added to each weight matrix (Hu et al. 2021).",
         "PEFT: peft_type");
  in.key("rank", &A::rank, between(1, 65536), fixed,
         "The width between the two matrices. 8 to 64 are usual.", "PEFT: r");
  in.key("alpha", &A::alpha, positive(), fixed,
         "The product is multiplied by alpha / rank. Twice the rank is usual.", "PEFT: lora_alpha");
  in.key("dropout", &A::dropout, dropped(), fixed,
         "The dropout probability of the adapter's input.", "PEFT: lora_dropout");
  AdapterKey& on =
      in.key("on", &A::attention, {}, fixed, "The sublayers whose linear layers have an adapter.",
             "PEFT: target_modules");
  on.allowed = places;
  on.read = read_places;
  on.write = write_places;
  in.key(
      "base", &A::base, weight_precisions, fixed,
      "How the weights of the base are kept in memory during training. bfloat16: in half the "
      "bytes, with 8 bits of precision. q8_0 and q4_0: in 8 and in 4 bits, with a scale for each "
      "32 of them, as in GGUF. The adapter is trained, and merged, with the rounded weights. Norms "
      "and biases stay "
      "in float32.",
      "");
  return table;
}

}  // namespace

const std::vector<AdapterKey>& adapter_keys() {
  static const std::vector<AdapterKey> keys = declare_adapter_keys();
  return keys;
}

void read_value(const YamlValue& from, std::string_view key, const Range& range,
                AdapterOptions& to) {
  if (from.kind != YamlValue::Kind::map) refuse_value(from, key, allowed_values(range, to));
  AdapterOptions adapter;
  read_small_map(from, key, adapter_keys(), adapter);
  if (!from.entries.empty() && !adapter) {
    fail("{}: {}: needs kind, such as lora", from.place.text(), key);
  }
  to = adapter ? adapter : AdapterOptions();
}

std::string write_value(const AdapterOptions& adapter) {
  return adapter ? write_small_map(adapter_keys(), adapter) : "{}";
}

std::string allowed_values(const Range&, const AdapterOptions&) {
  return "a map such as {kind: lora, rank: 16, alpha: 32}";
}

}  // namespace calque
