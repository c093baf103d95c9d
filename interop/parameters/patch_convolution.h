#pragma once
// Converts between calque's matrix over the pixels of a patch, [rows x columns x channels, d], and
// the convolution [d, channels, rows, columns] that engines store.

#include "core/tensor.h"

namespace calque {

inline Tensor patch_convolution(const Tensor& matrix, int64_t patch, int64_t channels) {
  const int64_t d = matrix.cols(), pixels = patch * patch;
  const Tensor out({d, channels, patch, patch});
  real* to = out.data();
  for (int64_t k = 0; k < d; ++k) {
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t pixel = 0; pixel < pixels; ++pixel) {
        *to++ = matrix.data()[(pixel * channels + c) * d + k];
      }
    }
  }
  return out;
}

// The inverse of patch_convolution(): fills `matrix`.
inline void copy_convolution(const Tensor& convolution, const Tensor& matrix) {
  const int64_t d = convolution.shape()[0], channels = convolution.shape()[1];
  const int64_t pixels = convolution.shape()[2] * convolution.shape()[3];
  const real* from = convolution.data();
  for (int64_t k = 0; k < d; ++k) {
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t pixel = 0; pixel < pixels; ++pixel) {
        matrix.data()[(pixel * channels + c) * d + k] = *from++;
      }
    }
  }
}

}  // namespace calque
