#pragma once
// exp, log, log1p, tanh and the normal distribution over vectors. In single precision they are
// polynomials with a relative error of a few units in the last place, in double precision they are
// the functions of the standard library.

#include <algorithm>
#include <limits>
#include <numbers>

#include "core/simd/vector.h"

namespace calque {

// Of a standard normal X at x: P(X <= x), and its density without the factor 1 / sqrt(2 pi).
struct Gauss {
  Vec below, bell;
};

#ifdef CALQUE_DOUBLE

inline Vec exp(Vec x) {
  return each_lane(x, [](real v) { return std::exp(v); });
}
inline Vec log(Vec x) {
  return each_lane(x, [](real v) { return std::log(v); });
}
inline Vec log1p(Vec x) {
  return each_lane(x, [](real v) { return std::log1p(v); });
}
inline Vec tanh(Vec x) {
  return each_lane(x, [](real v) { return std::tanh(v); });
}
inline Gauss gauss(Vec x) {
  constexpr real half_root = std::numbers::sqrt2_v<real> / 2;
  return {each_lane(x, [](real v) { return std::erfc(-v * half_root) / 2; }), exp(x * x / -2)};
}

#else

// exp(x) = 2^n exp(r) with n = round(x / ln 2), |r| <= ln(2) / 2, and exp(r) by a fitted polynomial
// (relative error 3e-9), evaluated with short dependency chains. Requires -87.3 <= x <= 88.7.
inline Vec exp_within_range(Vec x) {
  constexpr float to_integer = 0x1.8p23f;  // adding it leaves the nearest integer in the low bits
  const Vec shifted = x * 1.44269504f + to_integer;
  const Vec n = shifted - to_integer;
  const Vec r = x - n * 0.693359375f - n * -2.12194440e-4f;  // ln 2 in two parts
  const Vec r2 = r * r;
  const Vec high = r2 * 0.0013814539f + (r * 0.008368745f + 0.04166839f);
  const Vec p = (high * r2 + (r * 0.16666521f + 0.49999994f)) * r2 + (r + 1.0f);
  const Words power = reinterpret_cast<Words>(shifted) << 23;  // n in the exponent bits
  return reinterpret_cast<Vec>(reinterpret_cast<Words>(p) + power);
}

// Below -87.3 the result would be denormal and is 0; above 88.7 it is infinity.
inline Vec exp(Vec x) {
  Vec y = exp_within_range(x);
  y = x < -87.3365f ? broadcast(0) : y;
  y = x > 88.7228f ? broadcast(std::numeric_limits<float>::infinity()) : y;
  return x == x ? y : x;
}

// 2 atanh(s) = log((1 + s) / (1 - s)), for |s| up to (sqrt(2) - 1) / (sqrt(2) + 1).
inline Vec twice_atanh(Vec s) {
  const Vec s2 = s * s;
  Vec p = broadcast(2.0f / 11);
  p = p * s2 + 2.0f / 9;
  p = p * s2 + 2.0f / 7;
  p = p * s2 + 2.0f / 5;
  p = p * s2 + 2.0f / 3;
  return s * s2 * p + 2.0f * s;
}

// log(x) = e ln 2 + log(m), sqrt(1/2) <= m < sqrt(2), and log(m) = 2 atanh((m - 1) / (m + 1)).
inline Vec log(Vec x) {
  const Bits bits = reinterpret_cast<Bits>(x);
  const Bits exponent = (bits - 0x3f3504f3) >> 23;  // 0x3f3504f3 is sqrt(1/2)
  const Vec m = reinterpret_cast<Vec>(bits - (exponent << 23));
  const Vec e = __builtin_convertvector(exponent, Vec);
  Vec y = e * -2.12194440e-4f + twice_atanh((m - 1.0f) / (m + 1.0f)) + e * 0.693359375f;
  y = x > std::numeric_limits<float>::max() ? x : y;
  y = x == 0.0f ? broadcast(-std::numeric_limits<float>::infinity()) : y;
  return x >= 0.0f ? y : broadcast(std::numeric_limits<float>::quiet_NaN());
}

// log(1 + x). Near 0, where the rounding of 1 + x matters, it is 2 atanh(x / (2 + x)).
inline Vec log1p(Vec x) {
  const Vec near = twice_atanh(x / (x + 2.0f));
  return abs(x - 0.06f) < 0.34f ? near : log(x + 1.0f);
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

// P(X > z) = exp(-z^2 / 2) t Q(t) for z >= 0, with t = 1 / (1 + 0.265 z) and Q a polynomial fitted
// for z up to 13 (relative error 2e-8).
inline Gauss gauss(Vec x) {
  const Vec bell = exp(x * x * -0.5f);
  const Vec t = 1.0f / (1.0f + abs(x) * 0.265f);
  const Vec t2 = t * t, t4 = t2 * t2;
  const Vec first = (t * 0.06003861f + 0.10277010f) * t2 + (t * 0.10523707f + 0.10574212f);
  const Vec second = (t * -0.14466307f + 0.21868843f) * t2 + (t * -0.11733654f + 0.13861048f);
  const Vec beyond = bell * t * ((t4 * 0.030912796f + second) * t4 + first);
  return {x < 0.0f ? beyond : 1.0f - beyond, bell};
}

#endif

// log(1 + exp(x)) = -log(sigmoid(-x)), without overflow.
inline Vec softplus(Vec x) { return max(x, Vec{}) + log1p(exp(-abs(x))); }

inline Vec sigmoid(Vec x) { return real(1) / (real(1) + exp(-x)); }

// out = exp(x - m) for a row x with the maximum m; out may be x. Returns the sum.
inline real exponentials(const real* x, int64_t cols, real m, real* out) {
  const int64_t whole = cols / lanes * lanes, rest = cols - whole;
  Vec total{};
  const auto exp_of = [&](Vec v) {
    const Vec e = exp(v - m);
    total += e;
    return e;
  };
  map(whole, out, exp_of, x);
  if (rest > 0) {
    const Vec last = first_lanes(rest) ? exp(load_first(x + whole, rest) - m) : Vec{};
    store_first(out + whole, last, rest);
    total += last;
  }
  return sum(total);
}

}  // namespace calque
