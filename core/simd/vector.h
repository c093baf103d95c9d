#pragma once
// One vector of numbers, as wide as the machine's registers. (The compiler splits wider vectors
// through memory, which makes some ops ten times as slow.) Loops over rows use map() and
// sum_lanes() below, which take a function over vectors and handle the tail. Sums are kept in the
// lanes of a vector and folded in a fixed order, so they do not depend on the compiler.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#ifdef __SSE2__
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "core/real.h"

#ifndef CALQUE_INSTRUCTION_SET
#error "only libraries that are built once for each instruction set use vectors (calque_layer)"
#endif

namespace calque {

// The register width is part of the mangled names: nothing links to functions for another width.
#if defined(__AVX512F__)
inline namespace registers_of_64_bytes {
constexpr int64_t register_bytes = 64;
#elif defined(__AVX2__)
inline namespace registers_of_32_bytes {
constexpr int64_t register_bytes = 32;
#else
inline namespace registers_of_16_bytes {
constexpr int64_t register_bytes = 16;
#endif

using Vec [[gnu::vector_size(register_bytes)]] = real;
#ifdef CALQUE_DOUBLE
using Bits [[gnu::vector_size(register_bytes)]] = int64_t;
#else
using Bits [[gnu::vector_size(register_bytes)]] = int32_t;
#endif
using Words [[gnu::vector_size(register_bytes)]] = uint32_t;

// The numbers of a vector and of a cache line. Layouts that must be the same on all machines use
// cache_line.
constexpr int64_t lanes = register_bytes / static_cast<int64_t>(sizeof(real));
constexpr int64_t cache_line = 64 / static_cast<int64_t>(sizeof(real));

inline int64_t round_up(int64_t size, int64_t to = lanes) { return (size + to - 1) / to * to; }

inline Vec broadcast(real x) { return x - Vec{}; }

inline Vec load(const real* from) {
  Vec v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
inline void store(real* to, Vec v) { std::memcpy(to, &v, sizeof v); }

// The first `count` lanes, from none to all; the others become 0 (load) or are not stored.
inline Vec load_first(const real* from, int64_t count) {
#if defined(__AVX512F__) && !defined(CALQUE_DOUBLE)
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << count) - 1), from);
#else
  Vec v{};
  std::memcpy(&v, from, static_cast<size_t>(count) * sizeof(real));
  return v;
#endif
}
inline void store_first(real* to, Vec v, int64_t count) {
#if defined(__AVX512F__) && !defined(CALQUE_DOUBLE)
  _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1U << count) - 1), v);
#else
  std::memcpy(to, &v, static_cast<size_t>(count) * sizeof(real));
#endif
}

// a * b + c, rounded once where the processor has such an instruction. The compiler decides for
// each loop whether to contract a product and a sum; numbers that must have the same bits in
// several loops use this function.
inline Vec multiply_add(Vec a, Vec b, Vec c) {
#if defined(__AVX512F__) && defined(CALQUE_DOUBLE)
  return _mm512_fmadd_pd(a, b, c);
#elif defined(__AVX512F__)
  return _mm512_fmadd_ps(a, b, c);
#elif defined(__AVX2__) && defined(__FMA__) && defined(CALQUE_DOUBLE)
  return _mm256_fmadd_pd(a, b, c);
#elif defined(__AVX2__) && defined(__FMA__)
  return _mm256_fmadd_ps(a, b, c);
#elif defined(__aarch64__) && defined(CALQUE_DOUBLE)
  return vfmaq_f64(c, a, b);
#elif defined(__aarch64__)
  return vfmaq_f32(c, a, b);
#else
  return a * b + c;
#endif
}

// A mask of the lanes below `count`: `first_lanes(count) ? v : Vec{}`.
inline Bits first_lanes(int64_t count) {
  Bits number;
  for (int lane = 0; lane < lanes; ++lane) number[lane] = lane;
  return number < static_cast<int>(count);
}

template <int64_t first, size_t... i>
Vec interleave(Vec a, Vec b, std::index_sequence<i...>) {
  return __builtin_shufflevector(a, b, static_cast<int>(first + i / 2 + i % 2 * lanes)...);
}

// Interleaves the lanes of the first halves of a and b, or of the second halves.
inline Vec interleave_first(Vec a, Vec b) {
  return interleave<0>(a, b, std::make_index_sequence<lanes>());
}
inline Vec interleave_second(Vec a, Vec b) {
  return interleave<lanes / 2>(a, b, std::make_index_sequence<lanes>());
}

inline Vec max(Vec a, Vec b) { return a > b ? a : b; }
inline Vec min(Vec a, Vec b) { return a < b ? a : b; }
inline Vec abs(Vec v) {
  return reinterpret_cast<Vec>(reinterpret_cast<Bits>(v) & ~reinterpret_cast<Bits>(-Vec{}));
}

template <class Vector, size_t... i>
auto lower_half(Vector v, std::index_sequence<i...>) {
  return __builtin_shufflevector(v, v, static_cast<int>(i)...);
}
template <class Vector, size_t... i>
auto upper_half(Vector v, std::index_sequence<i...>) {
  return __builtin_shufflevector(v, v, static_cast<int>(i + sizeof...(i))...);
}

// Folds the lanes in halves: ((v0 + v8) + (v4 + v12)) + ... `combine` takes vectors and numbers.
template <class Vector, class Combine>
real fold(Vector v, Combine combine) {
  constexpr size_t half = sizeof(Vector) / sizeof(real) / 2;
  if constexpr (half == 1) {
    return combine(v[0], v[1]);
  } else {
    constexpr auto lane = std::make_index_sequence<half>();
    return fold(combine(lower_half(v, lane), upper_half(v, lane)), combine);
  }
}
inline real sum(Vec v) {
  return fold(v, [](auto a, auto b) { return a + b; });
}
inline real maximum(Vec v) {
  return fold(v, [](auto a, auto b) { return a > b ? a : b; });
}

// Applies `function` to each lane.
template <class Function>
Vec each_lane(Vec v, Function function) {
  for (int64_t i = 0; i < lanes; ++i) v[i] = function(v[i]);
  return v;
}

// Functions for map() and sum_lanes().
inline constexpr auto as_it_is = [](Vec v) { return v; };
inline constexpr auto times = [](Vec a, Vec b) { return a * b; };

inline Vec sqrt(Vec v) {
  return each_lane(v, [](real x) { return std::sqrt(x); });
}

// out[i] = function(in[i]...) for i < count; an input may be the output.
template <class Function, class... Input>
void map(int64_t count, real* out, Function function, const Input*... in) {
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) store(out + i, function(load(in + i)...));
  if (i < count) store_first(out + i, function(load_first(in + i, count - i)...), count - i);
}

// Like map(), but adds to `out` if `add` is true.
template <class Function, class... Input>
void map_into(int64_t count, real* out, bool add, Function function, const Input*... in) {
  if (!add) return map(count, out, function, in...);
  const auto added = [&](Vec before, auto... v) { return before + function(v...); };
  map(count, out, added, out, in...);
}

// The sum of function(in[i]...) for i < count, in the lanes of a vector. Four independent sums hide
// the latency of the additions.
template <class Function, class... Input>
Vec sum_lanes(int64_t count, Function function, const Input*... in) {
  Vec a{}, b{}, c{}, d{};
  int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    a += function(load(in + i)...);
    b += function(load(in + i + lanes)...);
    c += function(load(in + i + 2 * lanes)...);
    d += function(load(in + i + 3 * lanes)...);
  }
  for (; i + lanes <= count; i += lanes) a += function(load(in + i)...);
  if (i < count) b += first_lanes(count - i) ? function(load_first(in + i, count - i)...) : Vec{};
  return (a + b) + (c + d);
}

inline real dot(int64_t count, const real* a, const real* b) {
  return sum(sum_lanes(count, times, a, b));
}

}  // namespace registers_of_..._bytes
}  // namespace calque
