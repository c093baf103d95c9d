// The element types of the safetensors format, and the conversion of floating-point ones to real.
#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "train/storage/safetensors_header.h"

namespace calque {

namespace {

template <class Stored, auto convert>
void decode(const std::byte* from, std::span<real> to) {
  for (real& value : to) {
    Stored stored;
    std::memcpy(&stored, from, sizeof stored);
    value = static_cast<real>(convert(stored));
    from += sizeof stored;
  }
}

template <class Number>
Number itself(Number number) {
  return number;
}

constexpr std::array<ElementType, 17> element_types{{
    {"F32", 4, decode<float, itself<float>>},
    {"F64", 8, decode<double, itself<double>>},
    {"F16", 2, decode<uint16_t, from_f16>},
    {"BF16", 2, decode<uint16_t, from_bf16>},
    {"BOOL", 1, nullptr},
    {"U8", 1, nullptr},
    {"I8", 1, nullptr},
    {"F8_E5M2", 1, nullptr},
    {"F8_E4M3", 1, nullptr},
    {"F8_E8M0", 1, nullptr},
    {"U16", 2, nullptr},
    {"I16", 2, nullptr},
    {"U32", 4, nullptr},
    {"I32", 4, nullptr},
    {"U64", 8, nullptr},
    {"I64", 8, nullptr},
    {"C64", 8, nullptr},
}};

}  // namespace

const ElementType* find_element_type(std::string_view name) {
  const auto* found = std::ranges::find(element_types, name, &ElementType::name);
  return found == element_types.end() ? nullptr : found;
}

const ElementType& element_type_of_real() {
  return element_types[std::is_same_v<real, float> ? 0 : 1];
}

}  // namespace calque
