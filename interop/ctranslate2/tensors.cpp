#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "core/error.h"
#include "interop/ctranslate2/format.h"
#include "train/storage/durable_files.h"
#include "train/storage/safetensors.h"
#include "train/storage/safetensors_header.h"

namespace calque {
namespace {

constexpr real scale_of_int16 = 1000;  // if the file stores no scale

using Ct2Index = std::map<std::string_view, const Ct2Variable*>;

template <class Number>
void convert(const Ct2Variable& variable, const Tensor& to) {
  for (int64_t i = 0; i < to.size(); ++i) {
    Number value;
    std::memcpy(&value, variable.bytes.data() + static_cast<size_t>(i) * sizeof(value),
                sizeof(value));
    to.data()[i] = static_cast<real>(value);
  }
}

Tensor values_of_variable(const Ct2Variable& variable, const std::string& place) {
  const std::vector<int64_t> sizes(variable.sizes.begin(), variable.sizes.end());
  Tensor tensor(foreign_shape(sizes, place, variable.name));
  const auto* bytes = reinterpret_cast<const std::byte*>(variable.bytes.data());
  switch (variable.type) {
    case Ct2Type::float32:
      find_element_type("F32")->decode(bytes, tensor.span());
      break;
    case Ct2Type::float16:
      find_element_type("F16")->decode(bytes, tensor.span());
      break;
    case Ct2Type::bfloat16:
      find_element_type("BF16")->decode(bytes, tensor.span());
      break;
    case Ct2Type::int8:
      convert<int8_t>(variable, tensor);
      break;
    case Ct2Type::int16:
      convert<int16_t>(variable, tensor);
      break;
    case Ct2Type::int32:
      convert<int32_t>(variable, tensor);
      break;
  }
  return tensor;
}

// Dequantizes: an integer is the weight times the scale of its row, or the one scale of all rows.
void divide_by_scales(const Tensor& values, const Tensor& scales, const std::string& place,
                      const std::string& name) {
  if (scales.size() != 1 && scales.size() != values.rows()) {
    fail("{}: {} has {} scales for {} rows", place, printable(name), scales.size(), values.rows());
  }
  for (int64_t i = 0; i < values.size(); ++i) {
    const real scale = scales.data()[scales.size() == 1 ? 0 : i / values.cols()];
    values.data()[i] /= scale;
  }
}

bool is_integer(Ct2Type type) {
  return type == Ct2Type::int8 || type == Ct2Type::int16 || type == Ct2Type::int32;
}

}  // namespace

ForeignTensors ct2_tensors(const Ct2Model& model, const std::string& place) {
  ForeignTensors tensors(place);
  Ct2Index index;
  for (const Ct2Variable& variable : model.variables) index.emplace(variable.name, &variable);
  for (const Ct2Variable& variable : model.variables) {
    if (variable.sizes.empty() || variable.name.ends_with("_scale")) continue;
    Tensor values = values_of_variable(variable, place);
    if (is_integer(variable.type)) {
      const auto scales = index.find(variable.name + "_scale");
      const bool fixed = scales == index.end() && variable.type == Ct2Type::int16;
      if (scales == index.end() && !fixed) {
        fail("{}: {}_scale is missing", place, printable(variable.name));
      }
      divide_by_scales(
          values,
          fixed ? Tensor::full({}, scale_of_int16) : values_of_variable(*scales->second, place),
          place, variable.name);
    }
    const std::vector<TensorSlot> slots = {{variable.name, {}, values.span()}};
    if (first_not_finite(std::span<const TensorSlot>(slots))) {
      fail("{}: {} holds a value that is infinite or not a number", place,
           printable(variable.name));
    }
    tensors.add(variable.name, values);
  }
  for (const auto& [alias, name] : model.aliases) {
    const Tensor* of = tensors.find(name);
    if (of) tensors.add(alias, *of);
  }
  return tensors;
}

}  // namespace calque
