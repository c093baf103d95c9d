#pragma once
// A Transformer with memory for its parameters, ready to be trained or loaded.

#include <string>
#include <vector>

#include "core/parameters.h"
#include "nn/transformer.h"
#include "train/storage/safetensors.h"

namespace calque {

struct TranslationModel {
  explicit TranslationModel(const TransformerOptions& options)
      : transformer(Path(parameters), options) {
    parameters.allocate();
  }
  TranslationModel(const TranslationModel&) = delete;
  TranslationModel& operator=(const TranslationModel&) = delete;

  // The parameters by name, to be written or to be read.
  std::vector<NamedTensor> tensors() const {
    std::vector<NamedTensor> list;
    for (const Parameters::Entry& entry : parameters.entries()) {
      const auto sizes = entry.shape.sizes();
      list.push_back({entry.name, {sizes.begin(), sizes.end()}, entry.values()});
    }
    return list;
  }
  std::vector<TensorTarget> targets() const {
    std::vector<TensorTarget> list;
    for (const Parameters::Entry& entry : parameters.entries()) {
      const auto sizes = entry.shape.sizes();
      list.push_back({entry.name, {sizes.begin(), sizes.end()}, entry.values()});
    }
    return list;
  }

  Parameters parameters;  // before the model, whose constructor fills it
  Transformer transformer;
};

}  // namespace calque
