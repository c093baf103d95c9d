#pragma once
// The header of a safetensors file: the tensors and their offsets. The format is eight bytes with
// the length of the header (little-endian), the header in JSON,
//   {"__metadata__": {"key": "text"},
//    "NAME": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}
// and the values, one tensor after the other, row-major, little-endian, without gaps. A header is
// used only after all of it has been checked, and allocations are limited by the file's size.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/half_precision.h"
#include "core/real.h"

namespace calque {

// A type of element. `decode` is null for types that are not floating-point and for floating-point
// types of 8 bits: a file may contain such values, but they cannot be read.
struct ElementType {
  std::string_view name;  // in the format, such as "F32"
  uint64_t bytes;         // of an element
  void (*decode)(const std::byte* from, std::span<real> to);
};
const ElementType* find_element_type(std::string_view name);  // null if unknown
const ElementType& element_type_of_real();

struct TensorEntry {
  std::string name;
  const ElementType* type = nullptr;
  std::vector<int64_t> shape;  // [] is a single number; a 0 in it means no values
  uint64_t elements = 0;
  uint64_t begin = 0, end = 0;  // bytes, counted from the end of the header
};

// The product of the extents, which are not negative.
uint64_t elements_of(const std::vector<int64_t>& shape);

struct TensorTable {
  std::vector<TensorEntry> entries;  // in the order of their values
  std::map<std::string, std::string> metadata;
  uint64_t data_begin = 0;  // in the file: the size of the length field and the header

  const TensorEntry* find(std::string_view name) const;  // null if there is none
};

// The length of the header, from the first eight bytes of a file of `file_size` bytes.
uint64_t parse_header_length(std::span<const std::byte, 8> bytes, uint64_t file_size,
                             const std::string& path);
// The checked header. `path` is for messages.
TensorTable parse_header(std::string_view header, uint64_t file_size, const std::string& path);

// Returns the length and the header, padded with spaces so that the values begin at a multiple of
// 64 bytes. Sets data_begin, and `elements`, `begin` and `end` of each entry.
std::string format_header(TensorTable& table);

}  // namespace calque
