#pragma once
// GGUF, version 3, the files of llama.cpp: a header, keys with values, descriptions of the tensors,
// and their data at multiples of 32 bytes. The sizes of a tensor are listed innermost first.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "interop/tensor_list.h"

namespace calque {

using GgufValue = std::variant<uint32_t, float, bool, std::string, std::vector<int32_t>,
                               std::vector<float>, std::vector<std::string>>;

struct GgufFile {
  std::vector<std::pair<std::string, GgufValue>> values;
  TensorList tensors;
};

std::string gguf_bytes(const GgufFile& file);
// A file that gguf_bytes() made. Throws an Error that names the place if the bytes are not one.
GgufFile parse_gguf(std::string_view bytes, const std::string& place);

}  // namespace calque
