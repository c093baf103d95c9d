#pragma once
// The tensors of another engine's model, by name, as floats in the engine's layout. Each reader of
// a file format fills one; an import takes what its model needs, and nothing may be left over.

#include <map>
#include <string>
#include <string_view>

#include "core/tensor.h"

namespace calque {

class ForeignTensors {
 public:
  // `place` is for messages: the file.
  explicit ForeignTensors(std::string place) : place_(std::move(place)) {}

  const std::string& place() const { return place_; }

  // Throws an Error for a name that is there already.
  void add(const std::string& name, Tensor tensor);
  // A tensor that holds no floating-point numbers: it may be there, but cannot be taken.
  void add_other(const std::string& name, std::string_view type);

  bool has(std::string_view name) const { return tensors_.contains(name); }
  // The tensor; nothing if there is none.
  const Tensor* find(std::string_view name) const;
  // Removes the tensor and returns it. Throws an Error if it is missing or has another shape.
  Tensor take(std::string_view name, const Shape& shape);
  // Removes the tensor if it is there.
  void drop(std::string_view name);
  // Names that end in `old` end in `now`.
  void rename_endings(std::string_view old, std::string_view now);
  // Puts the prefix before every name but `except`.
  void add_prefix(const std::string& prefix, std::string_view except);

  // Throws an Error if a tensor is left that the model has no place for.
  void finish() const;

 private:
  std::string place_;
  std::map<std::string, Tensor, std::less<>> tensors_;
  std::map<std::string, std::string, std::less<>> others_;  // their types
};

// The shape of a file's list of sizes. Throws an Error for one that no tensor has; `name` is for
// the message.
Shape foreign_shape(std::span<const int64_t> sizes, const std::string& place,
                    std::string_view name);

// The weights of a folder of Hugging Face: model.safetensors, or pytorch_model.bin if there is
// none. Of a model that is too large for one file, those that model.safetensors.index.json or
// pytorch_model.bin.index.json lists.
ForeignTensors read_weights_folder(const std::string& folder);

}  // namespace calque
