#include "interop/ctranslate2/file.h"

#include <algorithm>
#include <cmath>

#include "interop/files/binary.h"
#include "interop/parameters/tensor_list.h"

namespace calque {
namespace {

constexpr uint32_t binary_version = 6, oldest_version = 1;

size_t size_of(Ct2Type type) {
  switch (type) {
    case Ct2Type::int8:
      return 1;
    case Ct2Type::int16:
    case Ct2Type::float16:
    case Ct2Type::bfloat16:
      return 2;
    default:
      return 4;
  }
}

template <class Number>
void append(std::string& out, Number number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

// The stored length of a string includes its terminating NUL.
void append_text(std::string& out, std::string_view text) {
  append(out, static_cast<uint16_t>(text.size() + 1));
  out.append(text).push_back('\0');
}

std::string read_text(BinaryReader& in) {
  const size_t length = in.number<uint16_t>();
  if (length == 0) in.refuse("has a string without a terminating NUL");
  return std::string(in.take(length).substr(0, length - 1));
}

// Below version 4, a file stores the size of an element instead of its type.
Ct2Type type_of_size(uint8_t size, const BinaryReader& in) {
  if (size == 4) return Ct2Type::float32;
  if (size == 2) return Ct2Type::int16;
  if (size != 1) in.refuse("has a variable of unknown type");
  return Ct2Type::int8;
}

Ct2Variable read_variable(BinaryReader& in, uint32_t version) {
  Ct2Variable variable{.name = read_text(in)};
  uint64_t elements = 1;
  variable.sizes.resize(in.number<uint8_t>());
  for (uint32_t& size : variable.sizes) {
    size = in.number<uint32_t>();
    if (__builtin_mul_overflow(elements, size, &elements) || elements > UINT32_MAX) {
      in.refuse("has a variable that is too large");
    }
  }
  const auto type = in.number<uint8_t>();
  if (version >= 4 && type > static_cast<uint8_t>(Ct2Type::bfloat16)) {
    in.refuse("has a variable of unknown type");
  }
  variable.type = version >= 4 ? Ct2Type{type} : type_of_size(type, in);
  const uint64_t unit = version >= 4 ? 1 : size_of(variable.type);
  variable.bytes = in.take(in.number<uint32_t>() * unit);
  if (variable.bytes.size() != elements * size_of(variable.type)) {
    in.refuse("has a variable whose size does not match its shape");
  }
  return variable;
}

void read_aliases(BinaryReader& in, Ct2Model& model) {
  for (auto count = in.number<uint32_t>(); count > 0; --count) {
    std::string alias = read_text(in);
    model.aliases.emplace_back(std::move(alias), read_text(in));
  }
}

}  // namespace

Ct2Variable ct2_variable(const std::string& name, const Tensor& tensor) {
  Ct2Variable variable{.name = name};
  const auto sizes = tensor.shape().sizes();
  variable.sizes.assign(sizes.begin(), sizes.end());
  variable.bytes = float_bytes(tensor);
  return variable;
}

Ct2Variable ct2_integer(const std::string& name, Ct2Type type, int32_t value) {
  Ct2Variable variable{.name = name, .type = type};
  append(variable.bytes, value);
  variable.bytes.resize(size_of(type));  // little-endian: the low bytes come first
  return variable;
}

std::pair<Ct2Variable, Ct2Variable> ct2_quantized(const std::string& name, const Tensor& matrix) {
  Ct2Variable values{.name = name, .type = Ct2Type::int8};
  values.sizes = {static_cast<uint32_t>(matrix.rows()), static_cast<uint32_t>(matrix.cols())};
  Ct2Variable scales{.name = name + "_scale", .sizes = {values.sizes[0]}};
  for (int64_t i = 0; i < matrix.rows(); ++i) {
    const auto row = matrix.span().subspan(i * matrix.cols(), matrix.cols());
    float most = 0;
    for (const real value : row) most = std::max(most, std::abs(static_cast<float>(value)));
    const float scale = most == 0 ? 1.0F : 127.0F / most;
    for (const real value : row) {
      append(values.bytes, static_cast<int8_t>(std::rint(static_cast<float>(value) * scale)));
    }
    append(scales.bytes, scale);
  }
  return {std::move(values), std::move(scales)};
}

std::string ct2_bytes(const Ct2Model& model) {
  std::string out;
  append(out, binary_version);
  append_text(out, model.specification);
  append(out, model.revision);
  append(out, static_cast<uint32_t>(model.variables.size()));
  for (const Ct2Variable& variable : model.variables) {
    append_text(out, variable.name);
    append(out, static_cast<uint8_t>(variable.sizes.size()));
    for (const uint32_t size : variable.sizes) append(out, size);
    append(out, static_cast<uint8_t>(variable.type));
    append(out, static_cast<uint32_t>(variable.bytes.size()));
    out += variable.bytes;
  }
  append(out, static_cast<uint32_t>(model.aliases.size()));
  for (const auto& [alias, variable] : model.aliases) {
    append_text(out, alias);
    append_text(out, variable);
  }
  return out;
}

Ct2Model parse_ct2(std::string_view bytes, const std::string& place) {
  BinaryReader in(bytes, place, "; it is not a CTranslate2 model that calque reads");
  const auto version = in.number<uint32_t>();
  if (version < oldest_version || version > binary_version) {
    in.refuse(
        fmt::format("has the version {}, not {} to {}", version, oldest_version, binary_version));
  }
  Ct2Model model{.specification = "", .revision = 1, .version = version};
  if (version >= 2) {
    model.specification = read_text(in);
    model.revision = in.number<uint32_t>();
  }
  for (auto count = in.number<uint32_t>(); count > 0; --count) {
    model.variables.push_back(read_variable(in, version));
  }
  if (version >= 3) read_aliases(in, model);
  if (!in.rest().empty()) in.refuse("has bytes after the end of the model");
  return model;
}

}  // namespace calque
