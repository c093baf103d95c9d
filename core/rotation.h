#pragma once
// The frequencies of rotary positions (Su et al. 2021), f_k = base^(-2 k / n) for the n numbers of
// a head that rotate, and their scalings, which stretch a model to longer texts than it was trained
// on (Chen et al. 2023; Llama 3):
//
//   linear   f / factor
//   llama3   by the wavelength l = 2 pi / f and the length L of the original texts:
//            f           if l < L / high
//            f / factor  if l > L / low
//            s f + (1 - s) f / factor, with s = (L / l - low) / (high - low), between

#include <cstdint>
#include <vector>

#include "core/named.h"

namespace calque {

enum class RotationScalingKind { none, linear, llama3 };

struct RotationScaling {
  RotationScalingKind kind = RotationScalingKind::none;
  double factor = 1;
  double low = 1, high = 4;  // of llama3
  int64_t original = 8192;   // of llama3: L

  bool operator==(const RotationScaling&) const = default;
};
inline constexpr Named<RotationScalingKind> rotation_scalings[] = {
    {"none", RotationScalingKind::none},
    {"linear", RotationScalingKind::linear},
    {"llama3", RotationScalingKind::llama3}};

struct Rotation {
  double base = 10000;
  double part = 1;        // of the numbers of a head, the first ones
  double local_base = 0;  // without scaling, in layers whose attention has a window; 0: `base`
  RotationScaling scaling = {};

  bool operator==(const Rotation&) const = default;
  // The rotation of a layer, with a window or without.
  Rotation at_layer(bool window) const;
  // The numbers of a head that rotate: an even number.
  int64_t rotated(int64_t head_size) const;
  // One for each pair that rotates.
  std::vector<double> frequencies(int64_t head_size) const;
};

}  // namespace calque
