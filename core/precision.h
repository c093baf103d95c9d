#pragma once
// The precisions of numbers in products.

#include "core/named.h"

namespace calque {

// bfloat16 has 8 bits of precision; as a precision of operands, it is up to twice as fast where
// processor and build have AVX512-BF16. int8 is for inference: weights and the rows that they
// multiply are rounded to 8-bit integers (core/int8_weights.h). q8_0 and q4_0 are for weights
// alone: blocks of 32 integers of 8 or 4 bits with a scale, as in GGUF
// (core/products/compact/matrix.h).
enum class Precision { full, bfloat16, int8, q8_0, q4_0 };

// Of the operands of products in training; sums always have full precision.
inline constexpr Named<Precision> precisions[] = {{"float32", Precision::full},
                                                  {"bfloat16", Precision::bfloat16}};
// Of weights in use.
inline constexpr Named<Precision> inference_precisions[] = {{"float32", Precision::full},
                                                            {"bfloat16", Precision::bfloat16},
                                                            {"int8", Precision::int8},
                                                            {"q8_0", Precision::q8_0},
                                                            {"q4_0", Precision::q4_0}};
// Of weights that are stored, not trained. (The Python module takes the last table of an enum.)
inline constexpr Named<Precision> weight_precisions[] = {{"float32", Precision::full},
                                                         {"bfloat16", Precision::bfloat16},
                                                         {"q8_0", Precision::q8_0},
                                                         {"q4_0", Precision::q4_0}};

// Whether a form has fewer bits and is that of weights alone.
inline bool is_compact(Precision form) {
  return form != Precision::full && form != Precision::int8;
}

}  // namespace calque
