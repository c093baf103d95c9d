#pragma once
// GGUF, version 3, the files of llama.cpp: a header, keys with values, descriptions of the tensors,
// and their data at multiples of general.alignment, by default 32 bytes. The sizes of a tensor are
// listed innermost first.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/precision.h"
#include "interop/gguf/blocks.h"
#include "interop/parameters/tensor_list.h"

namespace calque {

// The types of values that calque writes. parse_gguf() converts whole numbers of other types to
// uint32_t if they fit, and doubles to float. Any other value, such as a list of flags, becomes
// std::monostate.
using GgufValue = std::variant<uint32_t, float, bool, std::string, std::vector<int32_t>,
                               std::vector<float>, std::vector<std::string>, std::monostate>;

struct GgufFile {
  std::vector<std::pair<std::string, GgufValue>> values;
  TensorList tensors;
  // The smallest form that loses nothing, or nearly nothing, of the weights that were read: q4_0 if
  // all matrices but the tables are Q4_0, q8_0 if others are quantized, bfloat16 if all matrices
  // are.
  Precision form = Precision::full;
};

// Whether a tensor is the table of tokens or the output. Of a file in 4 bits, llama.cpp keeps 6 or
// 8 of them: all predictions come from them.
bool is_table(std::string_view name);

// `stored` has the type that each tensor is written in, with rows of whole blocks; empty: all are
// F32.
std::string gguf_bytes(const GgufFile& file, std::span<const GgufStorage* const> stored = {});
// Parses a file of version 2 or 3, with tensors in the types of interop/gguf/blocks.h. Throws an
// Error that names `place` for any other file.
GgufFile parse_gguf(std::string_view bytes, const std::string& place);

}  // namespace calque
