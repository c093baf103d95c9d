#pragma once
// How GGUF stores the numbers of a tensor: as floating-point numbers, or quantized in blocks of 32
// or 256 consecutive numbers. A block has one scale, or scales for groups of its numbers, and a few
// bits for each number.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/real.h"

namespace calque {

struct GgufStorage {
  uint32_t type;          // the number in the file
  std::string_view name;  // "Q4_K"
  int64_t numbers;        // of a block; 1: floating-point numbers
  int64_t bytes;          // of a block
  // Decodes whole blocks.
  void (*decode)(const std::byte* from, std::span<real> to);
};

// Null for types that calque does not read.
const GgufStorage* gguf_storage(uint32_t type);

}  // namespace calque
