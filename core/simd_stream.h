#pragma once
// Writing past the caches. An ordinary store first reads the cache line that it is about to
// overwrite, which for an array larger than the caches is a third of the traffic of a copy, and
// nothing of it is still there when the array is read next. Stores past the caches spare that.

#include <cstdint>

#include "core/simd.h"

namespace calque {

// Whether an array of so many numbers is better written past the caches: an op has four or five
// of its size in hand, and what then still fits is read from the caches by the op that follows.
inline bool past_caches(int64_t numbers) {
  constexpr int64_t too_large = int64_t{8} << 20;
  return numbers * static_cast<int64_t>(sizeof(real)) >= too_large;
}

// The address must be a multiple of a vector's size.
inline void store_past_caches(real* to, Vec v) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), reinterpret_cast<__m512i>(v));
#elif defined(__AVX2__)
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(v));
#elif defined(__SSE2__)
  _mm_stream_si128(reinterpret_cast<__m128i*>(to), reinterpret_cast<__m128i>(v));
#else
  store(to, v);
#endif
}

// To be called after the last of a thread's stores past the caches, before another thread reads.
inline void finish_past_caches() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

// As `map`, but what is written goes past the caches, where `out` lies so that it can.
template <class Function, class... Input>
void map_past_caches(int64_t count, real* out, Function function, const Input*... in) {
  if (reinterpret_cast<uintptr_t>(out) % sizeof(Vec) != 0) return map(count, out, function, in...);
  const int64_t whole = count / lanes * lanes;
  for (int64_t i = 0; i < whole; i += lanes) store_past_caches(out + i, function(load(in + i)...));
  map(count - whole, out + whole, function, (in + whole)...);
}

}  // namespace calque
