#pragma once
// GGUF, version 3, the files of llama.cpp: a header, keys with values, descriptions of the tensors,
// and their data at multiples of 32 bytes, unless general.alignment says otherwise. The sizes of a
// tensor are listed innermost first.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "interop/tensor_list.h"

namespace calque {

// The values that calque writes. std::monostate is a value of another type, such as a list of
// flags; whole numbers of other types are uint32_t if they fit.
using GgufValue = std::variant<uint32_t, float, bool, std::string, std::vector<int32_t>,
                               std::vector<float>, std::vector<std::string>, std::monostate>;

struct GgufFile {
  std::vector<std::pair<std::string, GgufValue>> values;
  TensorList tensors;
};

std::string gguf_bytes(const GgufFile& file);
// A file of version 2 or 3, with tensors of 32 or 16 bits. Throws an Error that names the place for
// anything else.
GgufFile parse_gguf(std::string_view bytes, const std::string& place);

}  // namespace calque
