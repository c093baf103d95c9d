#include "core/half_precision.h"

#include <algorithm>
#include <bit>
#include <cmath>

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

float from_bf16(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<uint16_t>(bits >> 16 | 0x40U);
  return static_cast<uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1)) >> 16);
}

float round_to_q8_0(std::span<const float> block, int8_t* integers) {
  float most = 0;
  for (const float x : block) most = std::max(most, std::abs(x));
  constexpr float largest = 65504;  // in half precision
  const float exact = std::min(most / 127, largest), scale = from_f16(to_f16(exact));
  const float factor = exact > 0 ? 1 / exact : 0;
  std::ranges::transform(block, integers, [factor](float x) {
    return static_cast<int8_t>(std::clamp(std::round(x * factor), -127.0F, 127.0F));
  });
  return scale;
}

}  // namespace calque
