#pragma once
// The activation functions over vectors: value(x), and slope(x) = d value / d x.

#include <numbers>

#include "core/simd/math.h"

namespace calque {

struct Relu {
  static Vec value(Vec x) { return max(Vec{}, x); }  // NaN stays NaN
  static Vec slope(Vec x) { return x > real(0) ? broadcast(1) : Vec{}; }
};

// x P(X <= x) with X standard normal; the slope is P(X <= x) + x p(x).
struct Gelu {
  static Vec value(Vec x) { return x * gauss(x).below; }
  static Vec slope(Vec x) {
    constexpr real density_at_0 = std::numbers::inv_sqrtpi_v<real> / std::numbers::sqrt2_v<real>;
    const Gauss at = gauss(x);
    return at.below + x * at.bell * density_at_0;
  }
};

// x (1 + tanh(u)) / 2 = x sigmoid(2 u), with u = sqrt(2 / pi) (x + 0.044715 x^3).
struct GeluTanh {
  static constexpr real c = 2 * std::numbers::sqrt2_v<real> * std::numbers::inv_sqrtpi_v<real>;
  static constexpr real cubic = real(0.044715);
  static Vec gate(Vec x) { return sigmoid(c * (x + cubic * x * x * x)); }
  static Vec value(Vec x) { return x * gate(x); }
  static Vec slope(Vec x) {
    const Vec g = gate(x);
    const Vec rest = x * g * (1 - g);  // 0 where x is large, never 0 times infinity
    return g + c * rest + (3 * cubic * c) * (rest * x) * x;
  }
};

struct Silu {
  static Vec value(Vec x) { return x * sigmoid(x); }
  static Vec slope(Vec x) {
    const Vec s = sigmoid(x);
    return s + x * s * (1 - s);
  }
};

}  // namespace calque
