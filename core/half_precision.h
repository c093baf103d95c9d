#pragma once
// Numbers of 16, 8 and 4 bits, as files and compact weights hold them.

#include <cstdint>
#include <span>

namespace calque {

// A number in half precision (IEEE): a sign bit, 5 bits of exponent, 10 bits of fraction.
float from_f16(uint16_t bits);
// The nearest number in half precision; of two, the one whose last bit is 0. Numbers from 65520 on
// become infinite.
uint16_t to_f16(float value);

// The same for bfloat16, the upper half of a float.
float from_bf16(uint16_t bits);
uint16_t to_bf16(float value);

// Rounds a block of numbers to integers times a scale, as GGUF's type Q8_0. The scale is the
// largest magnitude / 127 in half precision, at most 65504; the number with that magnitude becomes
// 127 or -127. Returns the scale. A block that was rounded before keeps its scale and, unless that
// is 0, its integers.
float round_to_q8_0(std::span<const float> block, int8_t* integers);
// The same, but a block of GGUF's Q4_0 or Q5_0 keeps its numbers, with a scale of its own.
float keep_in_q8_0(std::span<const float> block, int8_t* integers);

// The same as GGUF's type Q4_0, with integers from -8 to 7: the number with the largest magnitude
// becomes -8. A block that was rounded before keeps its numbers, whatever the largest is.
float round_to_q4_0(std::span<const float> block, int8_t* integers);
// The same, but of several scales near that one takes the one with the least squared error.
float fit_to_q4_0(std::span<const float> block, int8_t* integers);

}  // namespace calque
