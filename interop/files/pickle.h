#pragma once
// data.pkl of a pytorch_model.bin: the names of the tensors, their storages, and the places of
// their elements in the storages. A pickle of Python is a program for a stack machine that can call
// any function. This reader supports only what torch.save() writes for a dictionary of tensors: it
// builds tuples, dictionaries and descriptions of tensors, calls nothing, and refuses every other
// name and instruction.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "train/storage/safetensors_header.h"

namespace calque {

// Element [i, j] is number offset + i strides[0] + j strides[1] of its storage.
struct TorchTensor {
  std::string_view name;
  const ElementType* type = nullptr;
  std::string_view storage;  // the file data/STORAGE of the archive
  int64_t storage_size = 0;  // in elements
  int64_t offset = 0;
  std::vector<int64_t> sizes, strides;
  int64_t elements = 0;  // at most storage_size
};

// The tensors in the order of the file; their strings are views of `bytes`. Throws an Error that
// names the place for any other pickle.
std::vector<TorchTensor> parse_torch_pickle(std::string_view bytes, const std::string& place);

}  // namespace calque
