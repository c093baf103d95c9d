// The keys of model.experts, a small map.
#include "core/error.h"
#include "train/config/schema.h"
#include "train/config/small_map.h"

namespace calque {
namespace {

using E = ExpertOptions;

std::vector<ExpertKey> declare_expert_keys() {
  std::vector<ExpertKey> table;
  Section in(
      "", [](auto& experts) -> auto& { return experts; }, table);
  constexpr OnResume fixed = OnResume::harmful;
  in.key("count", &E::count, between(2, 1024), fixed, "The number of experts in each layer.");
  in.key("active", &E::active, between(1, 1024), fixed,
         "The number of experts for each token: those with the highest scores.");
  in.key("width", &E::width, between(0, 1048576), fixed,
         "The width inside an expert. 0: d_ff. With d_ff / active a token costs as much as in the "
         "dense model.");
  in.key("shared", &E::shared, {}, fixed, "Adds one more expert, which all tokens go through.");
  in.key("capacity", &E::capacity, at_least(0), fixed,
         "In training, an expert processes at most this many times an equal share of the tokens, "
         "and drops the others. 0: no limit.");
  in.key("balance", &E::balance, at_least(0), fixed,
         "The weight of the loss that gives the experts equal shares of the tokens.");
  in.key("z_loss", &E::z_loss, at_least(0), fixed,
         "The weight of the loss that keeps the scores small.");
  return table;
}

}  // namespace

const std::vector<ExpertKey>& expert_keys() {
  static const std::vector<ExpertKey> keys = declare_expert_keys();
  return keys;
}

void read_value(const YamlValue& from, std::string_view key, const Range& range,
                ExpertOptions& to) {
  if (from.kind != YamlValue::Kind::map) refuse_value(from, key, allowed_values(range, to));
  ExpertOptions experts;
  read_small_map(from, key, expert_keys(), experts);
  if (!from.entries.empty() && experts.count == 0) {
    fail("{}: {}: needs count, the number of experts", from.place.text(), key);
  }
  if (experts.count > 0 && experts.active > experts.count) {
    fail("{}: {}.active: {} is more than the number of experts, count: {}", from.place.text(), key,
         experts.active, experts.count);
  }
  to = experts;
}

std::string write_value(const ExpertOptions& experts) {
  return experts.count == 0 ? "{}" : write_small_map(expert_keys(), experts);
}

std::string allowed_values(const Range&, const ExpertOptions&) {
  return "a map such as {count: 8, active: 2}";
}

}  // namespace calque
