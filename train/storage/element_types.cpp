// The element types of the safetensors format, and the conversion of floating-point ones to real.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include "train/storage/safetensors_header.h"

namespace calque {

float from_f16(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000U) << 16;
  const uint32_t exponent = bits >> 10 & 0x1FU;
  const uint32_t fraction = bits & 0x3FFU;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000U | fraction << 13);
  if (exponent == 0) {
    const float size = static_cast<float>(fraction) * 0x1p-24F;
    return sign ? -size : size;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

// A float has 13 bits of fraction more. Below 2^-14 the numbers of half precision are multiples of
// 2^-24, to which the addition of a float with that spacing rounds.
uint16_t to_f16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000U, size = bits & 0x7FFFFFFFU;
  const auto with_sign = [&](uint32_t rest) { return static_cast<uint16_t>(sign | rest); };
  if (size > 0x7F800000U) return with_sign(0x7E00);  // not a number
  const auto magnitude = std::bit_cast<float>(size);
  if (magnitude >= 65520) return with_sign(0x7C00);
  if (magnitude < 0x1p-14F) return with_sign(std::bit_cast<uint32_t>(magnitude + 0.5F) & 0x7FFFU);
  return with_sign((size + 0xFFFU + (size >> 13 & 1) - (112U << 23)) >> 13);
}

uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<uint16_t>(bits >> 16 | 0x40U);
  return static_cast<uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1)) >> 16);
}

namespace {

float from_bf16(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

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
