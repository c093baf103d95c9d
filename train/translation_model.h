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
  std::vector<NamedTensor> tensors() const { return list<NamedTensor>(); }
  std::vector<TensorTarget> targets() const { return list<TensorTarget>(); }

  Parameters parameters;  // before the model, whose constructor fills it
  Transformer transformer;

 private:
  template <class Named>
  std::vector<Named> list() const {
    std::vector<Named> all;
    for (const Parameters::Entry& entry : parameters.entries()) {
      const auto sizes = entry.shape.sizes();
      all.push_back({entry.name, {sizes.begin(), sizes.end()}, entry.values()});
    }
    return all;
  }
};

}  // namespace calque
