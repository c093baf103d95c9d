#pragma once
// One vector of numbers, as wide as a cache line: 16 floats or 8 doubles. The compiler splits it
// where the machine's registers are narrower. Loops over rows are written with `map` and `reduce`
// below, which take a lambda over vectors and deal with the tail; sums are kept in the lanes of a
// vector and folded in a fixed order, so they do not depend on the compiler's mood.

#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/real.h"

namespace calque {

using Vec [[gnu::vector_size(64)]] = real;
constexpr int64_t lanes = 64 / static_cast<int64_t>(sizeof(real));
#ifdef CALQUE_DOUBLE
using Bits [[gnu::vector_size(64)]] = int64_t;
#else
using Bits [[gnu::vector_size(64)]] = int32_t;
#endif
using Words [[gnu::vector_size(64)]] = uint32_t;

inline Vec broadcast(real x) { return x - Vec{}; }

inline Vec load(const real* from) {
  Vec v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
inline void store(real* to, Vec v) { std::memcpy(to, &v, sizeof v); }

// The first `count` lanes; the others are 0 (load) or left alone (store).
inline Vec load_first(const real* from, int64_t count) {
  Vec v{};
  std::memcpy(&v, from, static_cast<size_t>(count) * sizeof(real));
  return v;
}
inline void store_first(real* to, Vec v, int64_t count) {
  std::memcpy(to, &v, static_cast<size_t>(count) * sizeof(real));
}

inline Vec max(Vec a, Vec b) { return a > b ? a : b; }
inline Vec min(Vec a, Vec b) { return a < b ? a : b; }

// The lanes folded in halves: ((v0 + v8) + (v4 + v12)) + ...
template <class Combine>
real fold(Vec v, Combine combine) {
  alignas(64) real part[lanes];
  store(part, v);
  for (int64_t half = lanes / 2; half > 0; half /= 2) {
    for (int64_t i = 0; i < half; ++i) part[i] = combine(part[i], part[i + half]);
  }
  return part[0];
}
inline real sum(Vec v) {
  return fold(v, [](real a, real b) { return a + b; });
}
inline real maximum(Vec v) {
  return fold(v, [](real a, real b) { return a > b ? a : b; });
}

// The vector with `function` applied to each lane on its own.
template <class Function>
Vec each_lane(Vec v, Function function) {
  for (int64_t i = 0; i < lanes; ++i) v[i] = function(v[i]);
  return v;
}

inline Vec sqrt(Vec v) {
  return each_lane(v, [](real x) { return std::sqrt(x); });
}

// out[i] = function(in[i]...) for i < count; the inputs and the output may be the same array.
template <class Function, class... Input>
void map(int64_t count, real* out, Function function, const Input*... in) {
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) store(out + i, function(load(in + i)...));
  if (i < count) store_first(out + i, function(load_first(in + i, count - i)...), count - i);
}

// The same, written or added to the sink.
template <class Function, class... Input>
void map_into(int64_t count, real* out, bool add, Function function, const Input*... in) {
  if (add) {
    map(
        count, out, [&](Vec before, auto... v) { return before + function(v...); }, out, in...);
  } else {
    map(count, out, function, in...);
  }
}

// The sum of function(in[i]...) for i < count, in the lanes of a vector. Lanes past the end
// contribute function(0...) unless it is masked: the function must give 0 there.
template <class Function, class... Input>
Vec sum_lanes(int64_t count, Function function, const Input*... in) {
  Vec total{};
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) total += function(load(in + i)...);
  if (i < count) total += function(load_first(in + i, count - i)...);
  return total;
}

}  // namespace calque
