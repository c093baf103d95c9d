// Dropout, and the mask that fused ops share with it.

#include "core/ops.h"
#include "core/ops/dropout_mask.h"
#include "core/simd/philox_lanes.h"
#include "core/simd/vector.h"
#include "core/threads/parallel.h"

namespace calque {
namespace {

// out = number >= threshold ? scale : 0, for numbers of 16 bits.
void select(Words numbers, uint32_t threshold, real scale, real* out) {
  // Signed, because every SIMD instruction set compares signed words.
  using Signed [[gnu::vector_size(register_bytes)]] = int32_t;
  const auto from = reinterpret_cast<Signed>(numbers);
  const auto least = static_cast<int32_t>(threshold);
  for (int64_t i = 0; i < words_at_once; ++i) out[i] = from[i] >= least ? scale : 0;
}

constexpr int64_t factors_at_once = 8 * DropoutMask::group, least_chunk = 8 * factors_at_once;

}  // namespace

DropoutMask::DropoutMask(const Stream& stream, real p)
    : stream_(stream),
      threshold_(static_cast<uint32_t>(std::lround(p * 65536))),
      scale_(real(65536) / static_cast<real>(65536 - threshold_)) {}

void DropoutMask::whole_group(int64_t number, real* out) const {
  static_assert(group == 128);  // eight numbers of 16 bits in each of 16 blocks
  for (int64_t lane = 0; lane < 16; lane += words_at_once) {
    const std::array words =
        random_blocks(stream_, static_cast<uint32_t>(number * 16 + lane), rounds);
    for (int64_t i = 0; i < 4; ++i) {
      select(words[i] & 0xffff, threshold_, scale_, out + i * 32 + lane);
      select(words[i] >> 16, threshold_, scale_, out + i * 32 + 16 + lane);
    }
  }
}

void DropoutMask::factors(int64_t first, int64_t count, real* out) const {
  if (!active()) {
    std::fill_n(out, count, real(1));
    return;
  }
  alignas(64) real edge[group];
  for (int64_t at = first; at < first + count;) {
    const int64_t number = at / group, skip = at % group;
    const int64_t taken = std::min(group - skip, first + count - at);
    if (taken == group) {
      whole_group(number, out + (at - first));
    } else {
      whole_group(number, edge);
      std::copy_n(edge + skip, taken, out + (at - first));
    }
    at += taken;
  }
}

void DropoutMask::apply(int64_t size, const real* from, Sink to) const {
  parallel_for(size, long_chunk(size, least_chunk), [&](int64_t begin, int64_t end) {
    alignas(64) real some[factors_at_once];
    for (int64_t i = begin; i < end; i += factors_at_once) {
      const int64_t count = std::min(factors_at_once, end - i);
      factors(i, count, some);
      map_into(count, to.data + i, to.add, times, from + i, static_cast<const real*>(some));
    }
  });
}

DropoutMask next_dropout_mask(const char* op, real p) {
  require(p >= 0 && p < 1, "{}: a dropout probability of {}", op, p);
  const Tape* tape = Tape::current();
  if (p == 0 || !tape || tape->dropout_share() == 0) return {};
  return DropoutMask(next_random_stream(), p * tape->dropout_share());
}

Tensor dropout(const Tensor& x, real p) {
  const DropoutMask mask = next_dropout_mask("dropout", p);
  if (!mask.active()) return x;
  Tensor y(x.shape());
  const int64_t size = x.size();
  mask.apply(size, x.data(), {y.data(), false});
  return record("dropout", y, {&x}, [size, mask, dx = x.gradient()](Gradient& dy) {
    mask.apply(size, dy.data(), dx.open());
  });
}

}  // namespace calque
