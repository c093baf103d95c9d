#include "core/rotation.h"

#include <cmath>
#include <numbers>

namespace calque {
namespace {

double scaled(double frequency, const RotationScaling& by) {
  using enum RotationScalingKind;
  if (by.kind == none) return frequency;
  const double slow = frequency / by.factor;
  if (by.kind == linear) return slow;
  const double turns = static_cast<double>(by.original) * frequency / (2 * std::numbers::pi);
  if (turns > by.high) return frequency;
  if (turns < by.low) return slow;
  const double share = (turns - by.low) / (by.high - by.low);
  return share * frequency + (1 - share) * slow;
}

}  // namespace

Rotation Rotation::at_layer(bool window) const {
  Rotation own = *this;
  own.local_base = 0;
  if (window && local_base != 0) {
    own.base = local_base;
    own.scaling = {};
  }
  return own;
}

int64_t Rotation::rotated(int64_t head_size) const {
  return static_cast<int64_t>(static_cast<double>(head_size) * part) / 2 * 2;
}

std::vector<double> Rotation::frequencies(int64_t head_size) const {
  const int64_t count = rotated(head_size) / 2;
  std::vector<double> all;
  for (int64_t k = 0; k < count; ++k) {
    const double exponent = -static_cast<double>(k) / static_cast<double>(count);
    all.push_back(scaled(std::pow(base, exponent), scaling));
  }
  return all;
}

}  // namespace calque
