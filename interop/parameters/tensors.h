#pragma once
// The tensors of another engine's model, by name, as floats in the engine's layout. The reader of a
// file format adds the tensors; an import takes those that its model needs, and none may be left.

#include <map>
#include <string>
#include <string_view>

#include "core/tensor.h"

namespace calque {

class ForeignTensors {
 public:
  // `place` is the file, for messages.
  explicit ForeignTensors(std::string place) : place_(std::move(place)) {}

  const std::string& place() const { return place_; }

  // Throws an Error if there is a tensor of that name.
  void add(const std::string& name, Tensor tensor);
  // Records a tensor that is not of floating-point numbers. take() refuses it, finish() ignores it.
  void add_other(const std::string& name, std::string_view type);

  bool empty() const { return tensors_.empty(); }
  bool has(std::string_view name) const { return tensors_.contains(name); }
  // The tensor; nothing if there is none.
  const Tensor* find(std::string_view name) const;
  // Removes the tensor and returns it. Throws an Error if it is missing or has another shape.
  Tensor take(std::string_view name, const Shape& shape);
  // Removes the tensor if it is there.
  void drop(std::string_view name);
  // In all names that end in `old`, replaces that ending by `now`.
  void rename_endings(std::string_view old, std::string_view now);
  // Puts the prefix before every name but `except`.
  void add_prefix(const std::string& prefix, std::string_view except);

  // Throws an Error if a tensor has been neither taken nor dropped.
  void finish() const;

 private:
  std::string place_;
  std::map<std::string, Tensor, std::less<>> tensors_;
  std::map<std::string, std::string, std::less<>> others_;  // their types
};

// The shape of a tensor in a file. Throws an Error if it has a negative size, too many axes or too
// many elements; `place` and `name` are for the message.
Shape foreign_shape(std::span<const int64_t> sizes, const std::string& place,
                    std::string_view name);

// The weights of a folder of Hugging Face: model.safetensors, or pytorch_model.bin if there is
// none. A model that is too large for one file has instead the files that
// model.safetensors.index.json or pytorch_model.bin.index.json lists.
ForeignTensors read_weights_folder(const std::string& folder);
// Those of one file .safetensors.
ForeignTensors read_weights_file(const std::string& path);

}  // namespace calque
