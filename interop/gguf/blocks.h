#pragma once
// How GGUF stores the numbers of a tensor: as floating-point numbers, or quantized in blocks of 32
// or 256 consecutive numbers. A block has one scale, or scales for groups of its numbers, and a few
// bits for each number.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/tensor.h"

namespace calque {

struct GgufStorage {
  uint32_t type;          // the number in the file
  std::string_view name;  // "Q4_K"
  int64_t numbers;        // of a block; 1: floating-point numbers
  int64_t bytes;          // of a block
  // Decodes whole blocks.
  void (*decode)(const std::byte* from, std::span<real> to);
  // Encodes whole blocks, as llama.cpp does; null for types that calque does not write.
  void (*encode)(std::span<const real> from, std::byte* to) = nullptr;

  size_t bytes_of(const Tensor& tensor) const {
    return static_cast<size_t>(tensor.size() / numbers * bytes);
  }
};

// Null for types that calque does not read.
const GgufStorage* gguf_storage(uint32_t type);
// By its name, such as "Q8_0". Null for types that calque does not read.
const GgufStorage* gguf_storage(std::string_view name);

}  // namespace calque
