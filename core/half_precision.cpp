#include "core/half_precision.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

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

namespace {

constexpr float largest_half = 65504;

float largest_of(std::span<const float> block) {
  return *std::ranges::max_element(block, {}, [](float x) { return std::abs(x); });
}

// Whether all numbers of a block are the scale, in half precision, times integers of this range.
bool has_scale(std::span<const float> block, float scale, float lowest, float highest) {
  return from_f16(to_f16(scale)) == scale && std::ranges::all_of(block, [&](float x) {
           const float integer = std::round(x / scale);
           return integer >= lowest && integer <= highest && integer * scale == x;
         });
}

// The scale with which a block keeps its numbers as integers in [-size, size), if there is one and
// `size` is at most 16: the block was in 4 or 5 bits. Nothing for most other blocks, because such
// integers times 11 bits of a scale have 8 bits less than a float.
std::optional<float> kept_scale(std::span<const float> block, int size) {
  const float largest = largest_of(block);
  if (largest == 0 || (std::bit_cast<uint32_t>(largest) & 0xFFU) != 0) return std::nullopt;
  for (int integer = -size; integer < size; ++integer) {
    const float scale = largest / static_cast<float>(integer);
    if (integer != 0 &&
        has_scale(block, scale, static_cast<float>(-size), static_cast<float>(size - 1))) {
      return scale;
    }
  }
  return std::nullopt;
}

float half_away_from_zero(float x) { return std::round(x); }
float half_up(float x) { return std::floor(x + 0.5F); }
// Without a bias, also for numbers that are multiples of half the scale.
float half_to_even(float x) { return std::nearbyint(x); }

float error_of_q4_0(std::span<const float> block, float scale) {
  const float exact = from_f16(to_f16(scale)), factor = 1 / exact;
  float error = 0;
  for (const float x : block) {
    const float rounded = std::clamp(half_to_even(x * factor), -8.0F, 7.0F) * exact;
    error += (x - rounded) * (x - rounded);
  }
  return error;
}

// The block divided by `scale`, as integers. Returns the scale in half precision.
template <float rounded(float)>
float divide(std::span<const float> block, float scale, float lowest, float highest,
             int8_t* integers) {
  const float factor = scale != 0 ? 1 / scale : 0;
  std::ranges::transform(block, integers, [=](float x) {
    return static_cast<int8_t>(std::clamp(rounded(x * factor), lowest, highest));
  });
  return from_f16(to_f16(scale));
}

}  // namespace

float round_to_q8_0(std::span<const float> block, int8_t* integers) {
  const float scale = std::min(std::abs(largest_of(block)) / 127, largest_half);
  return divide<half_away_from_zero>(block, scale, -127, 127, integers);
}

float keep_in_q8_0(std::span<const float> block, int8_t* integers) {
  const std::optional<float> kept = kept_scale(block, 16);
  if (!kept || has_scale(block, std::abs(largest_of(block)) / 127, -127, 127)) {
    return round_to_q8_0(block, integers);
  }
  return divide<half_away_from_zero>(block, *kept, -127, 127, integers);
}

float round_to_q4_0(std::span<const float> block, int8_t* integers) {
  const float scale = std::clamp(largest_of(block) / -8, -largest_half, largest_half);
  return divide<half_up>(block, kept_scale(block, 8).value_or(scale), -8, 7, integers);
}

float fit_to_q4_0(std::span<const float> block, int8_t* integers) {
  const float largest = largest_of(block);
  const std::optional<float> kept = kept_scale(block, 8);
  if (kept || std::abs(largest) < 1e-4F || std::abs(largest) > largest_half) {
    return round_to_q4_0(block, integers);
  }
  float best = largest / -8, least = error_of_q4_0(block, best);
  for (const float integer : {-9.5F, -9.0F, -8.5F, -7.5F, -7.0F, -6.5F, 7.0F, 7.5F, 8.0F}) {
    const float error = error_of_q4_0(block, largest / integer);
    if (error < least) least = error, best = largest / integer;
  }
  const float scale = divide<half_to_even>(block, from_f16(to_f16(best)), -8, 7, integers);
  std::vector<float> numbers(block.size());
  std::ranges::transform(std::span(integers, block.size()), numbers.begin(),
                         [scale](int8_t integer) { return static_cast<float>(integer) * scale; });
  return round_to_q4_0(numbers, integers);  // the scale with which these numbers are kept
}

}  // namespace calque
