#pragma once
// exp, log, tanh and erfc over vectors. In single precision they are polynomials with a relative
// error of a few units in the last place; in double, where only correctness counts, the standard
// library's.

#include <algorithm>
#include <limits>

#include "core/simd.h"

namespace calque {

#ifdef CALQUE_DOUBLE

inline Vec exp(Vec x) {
  return each_lane(x, [](real v) { return std::exp(v); });
}
inline Vec log(Vec x) {
  return each_lane(x, [](real v) { return std::log(v); });
}
inline Vec tanh(Vec x) {
  return each_lane(x, [](real v) { return std::tanh(v); });
}
inline Vec erfc(Vec x) {
  return each_lane(x, [](real v) { return std::erfc(v); });
}

#else

// exp(x) = 2^n exp(r) with n = round(x / ln 2), |r| <= ln(2)/2, and exp(r) by its Taylor
// polynomial. Below -87.3 the result would be denormal and is 0; above 88.7 it is infinity.
inline Vec exp(Vec x) {
  constexpr float to_integer = 0x1.8p23f;  // adding it rounds to the nearest integer
  const Vec limited = min(max(x, broadcast(-88.0f)), broadcast(88.8f));
  const Vec shifted = limited * 1.44269504f + to_integer;
  const Vec n = shifted - to_integer;
  const Vec r = limited - n * 0.693359375f - n * -2.12194440e-4f;  // ln 2 in two parts
  Vec p = broadcast(1.0f / 5040);
  p = p * r + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  // 2^n in two factors, so that n = 128 does not overflow where the product would not.
  const Bits exponent = __builtin_convertvector(n, Bits);
  const Bits half = exponent >> 1;
  const Vec low = reinterpret_cast<Vec>((half + 127) << 23);
  const Vec high = reinterpret_cast<Vec>((exponent - half + 127) << 23);
  Vec y = p * low * high;
  y = x < -87.3365f ? broadcast(0) : y;
  y = x > 88.7228f ? broadcast(std::numeric_limits<float>::infinity()) : y;
  return x == x ? y : x;
}

// log(x) = e ln 2 + log(m), sqrt(1/2) <= m < sqrt(2), and log(m) = 2 atanh((m - 1) / (m + 1)).
inline Vec log(Vec x) {
  const Bits bits = reinterpret_cast<Bits>(x);
  const Bits exponent = (bits - 0x3f3504f3) >> 23;  // 0x3f3504f3 is sqrt(1/2)
  const Vec m = reinterpret_cast<Vec>(bits - (exponent << 23));
  const Vec e = __builtin_convertvector(exponent, Vec);
  const Vec s = (m - 1.0f) / (m + 1.0f);
  const Vec s2 = s * s;
  Vec p = broadcast(2.0f / 11);
  p = p * s2 + 2.0f / 9;
  p = p * s2 + 2.0f / 7;
  p = p * s2 + 2.0f / 5;
  p = p * s2 + 2.0f / 3;
  Vec y = e * -2.12194440e-4f + (s * s2 * p + 2.0f * s) + e * 0.693359375f;
  y = x > std::numeric_limits<float>::max() ? x : y;
  y = x == 0.0f ? broadcast(-std::numeric_limits<float>::infinity()) : y;
  return x >= 0.0f ? y : broadcast(std::numeric_limits<float>::quiet_NaN());
}

// tanh(x) = 1 - 2 / (exp(2 x) + 1); near 0, where that cancels, its Taylor polynomial.
inline Vec tanh(Vec x) {
  const Vec far = 1.0f - 2.0f / (exp(x * 2.0f) + 1.0f);
  const Vec s = x * x;
  Vec p = broadcast(62.0f / 2835);
  p = p * s - 17.0f / 315;
  p = p * s + 2.0f / 15;
  p = p * s - 1.0f / 3;
  const Vec near = x + x * s * p;
  return s < 0.09f ? near : far;
}

// erfc(x) for x >= 0 as t exp(-x^2 + polynomial(t)), t = 1 / (1 + x / 2): Numerical Recipes'
// Chebyshev fit, relative error below 1.2e-7 everywhere. erfc(-x) = 2 - erfc(x).
inline Vec erfc(Vec x) {
  const Vec z = x < 0.0f ? -x : x;
  const Vec t = 1.0f / (1.0f + z * 0.5f);
  Vec p = broadcast(0.17087277f);
  for (const float c : {-0.82215223f, 1.48851587f, -1.13520398f, 0.27886807f, -0.18628806f,
                        0.09678418f, 0.37409196f, 1.00002368f, -1.26551223f}) {
    p = p * t + c;
  }
  const Vec y = t * exp(p - z * z);
  return x < 0.0f ? 2.0f - y : y;
}

#endif

inline Vec sigmoid(Vec x) { return real(1) / (real(1) + exp(-x)); }

}  // namespace calque
