#pragma once
// model.bin of CTranslate2: a header, the variables (name, sizes, type, bytes), and aliases for
// variables that share one memory. Numbers are little-endian. calque writes version 6, and reads 1
// to 6: below 4, a variable has the size of an element instead of a type; below 3 there are no
// aliases; version 1 has no specification, and is of its first revision.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tensor.h"

namespace calque {

// The numbers are the format's.
enum class Ct2Type : uint8_t { float32, int8, int16, int32, float16, bfloat16 };

struct Ct2Variable {
  std::string name;
  std::vector<uint32_t> sizes = {};  // none: a scalar
  Ct2Type type = Ct2Type::float32;
  std::string bytes = {};

  bool operator==(const Ct2Variable&) const = default;
};

struct Ct2Model {
  std::vector<Ct2Variable> variables = {};
  std::vector<std::pair<std::string, std::string>> aliases = {};  // a name, and that of a variable
  std::string specification = "TransformerSpec";
  uint32_t revision = 7;  // of the specification
  uint32_t version = 6;   // of the file; ct2_bytes() writes 6

  bool operator==(const Ct2Model&) const = default;
};

Ct2Variable ct2_variable(const std::string& name, const Tensor& tensor);
Ct2Variable ct2_integer(const std::string& name, Ct2Type type, int32_t value);

// Rows of integers from -127 to 127 and the factor of each row: the variables NAME and NAME_scale.
// Row i is rint(w_i s_i), with s_i = 127 / max |w_i|.
std::pair<Ct2Variable, Ct2Variable> ct2_quantized(const std::string& name, const Tensor& matrix);

std::string ct2_bytes(const Ct2Model& model);
// The model of a file's bytes. Throws an Error that names the place if they are not one.
Ct2Model parse_ct2(std::string_view bytes, const std::string& place);

}  // namespace calque
