#include "nn/layers/expert_load.h"

#include <algorithm>
#include <functional>

namespace calque {
namespace {

thread_local ExpertLoad* innermost = nullptr;

}  // namespace

ExpertLoad::ExpertLoad() : outer_(std::exchange(innermost, this)) {}
ExpertLoad::~ExpertLoad() { innermost = outer_; }

void ExpertLoad::add(const std::string& layer, std::span<const int64_t> counts) {
  if (innermost == nullptr) return;
  auto& layers = innermost->layers_;
  auto found = std::ranges::find(layers, layer, [](const auto& entry) { return entry.first; });
  if (found == layers.end()) {
    layers.emplace_back(layer, std::vector<int64_t>(counts.size()));
    found = layers.end() - 1;
  }
  std::ranges::transform(found->second, counts, found->second.begin(), std::plus());
}

}  // namespace calque
