#pragma once
// The parameters of a model as named tensors, to write to a checkpoint or to read from one.

#include <vector>

#include "core/parameters.h"
#include "train/storage/safetensors.h"

namespace calque {

template <class Named>
std::vector<Named> parameters_as(const Parameters& parameters) {
  std::vector<Named> all;
  for (const Parameters::Entry& entry : parameters.entries()) {
    const auto sizes = entry.shape.sizes();
    Named& tensor = all.emplace_back(entry.name, std::vector<int64_t>(sizes.begin(), sizes.end()));
    tensor.compact = entry.compact();
    if (!tensor.compact) tensor.values = entry.values();
  }
  return all;
}

inline std::vector<NamedTensor> parameter_tensors(const Parameters& parameters) {
  return parameters_as<NamedTensor>(parameters);
}

inline std::vector<TensorSlot> parameter_slots(const Parameters& parameters) {
  return parameters_as<TensorSlot>(parameters);
}

}  // namespace calque
