#pragma once
// model.bin of CTranslate2: a header, the variables (name, sizes, type, bytes), and aliases for
// variables that share memory. Numbers are little-endian. calque writes version 6 and reads
// versions 1 to 6. Below version 4, a variable stores the size of an element instead of a type;
// below version 3 there are no aliases; version 1 names no specification and has revision 1.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tensor.h"

namespace calque {

// The values are those of the file format.
enum class Ct2Type : uint8_t { float32, int8, int16, int32, float16, bfloat16 };

struct Ct2Variable {
  std::string name;
  std::vector<uint32_t> sizes = {};  // empty for a scalar
  Ct2Type type = Ct2Type::float32;
  std::string bytes = {};

  bool operator==(const Ct2Variable&) const = default;
};

struct Ct2Model {
  std::vector<Ct2Variable> variables = {};
  std::vector<std::pair<std::string, std::string>> aliases = {};  // alias, name of the variable
  std::string specification = "TransformerSpec";
  uint32_t revision = 7;  // of the specification
  uint32_t version = 6;   // of the file; ct2_bytes() writes 6

  bool operator==(const Ct2Model&) const = default;
};

Ct2Variable ct2_variable(const std::string& name, const Tensor& tensor);
Ct2Variable ct2_integer(const std::string& name, Ct2Type type, int32_t value);

// A matrix quantized by rows: the variable NAME holds integers from -127 to 127, NAME_scale the
// factor of each row. Row i is rint(w_i s_i), with s_i = 127 / max |w_i|, or 1 for a row of zeros.
std::pair<Ct2Variable, Ct2Variable> ct2_quantized(const std::string& name, const Tensor& matrix);

std::string ct2_bytes(const Ct2Model& model);
// Parses the bytes of a model.bin. Throws an Error that names `place` if they are not valid.
Ct2Model parse_ct2(std::string_view bytes, const std::string& place);

}  // namespace calque
