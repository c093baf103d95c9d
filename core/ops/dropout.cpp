// Dropout, and the masks that the fused ops share with it.

#include "core/ops.h"
#include "core/ops/dropout_mask.h"
#include "core/parallel.h"
#include "core/simd.h"

namespace calque {
namespace {

// Sixteen blocks of Philox4x32 at once, as random.cpp does one. Seven rounds are the fewest that
// pass every test of its authors (BigCrush): enough for a mask, and dropout waits for them.
void philox16(std::array<Words, 4>& c, uint64_t seed) {
  auto key0 = static_cast<uint32_t>(seed), key1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < DropoutMask::rounds; ++round) {
    c = {multiply_high(c[2], 0xCD9E8D57) ^ c[1] ^ key0, c[2] * 0xCD9E8D57,
         multiply_high(c[0], 0xD2511F53) ^ c[3] ^ key1, c[0] * 0xD2511F53};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
}

// Reals that are `scale` where the word is at least the threshold.
void select(Words words, uint32_t threshold, real scale, real* out) {
  for (int i = 0; i < 16; ++i) out[i] = words[i] >= threshold ? scale : 0;
}

constexpr int64_t chunk = 8 * DropoutMask::group, piece = 8 * chunk;

}  // namespace

DropoutMask::DropoutMask(const Stream& stream, real p)
    : stream_(stream),
      threshold_(static_cast<uint32_t>(std::lround(p * 65536))),
      scale_(real(65536) / static_cast<real>(65536 - threshold_)) {}

void DropoutMask::whole_group(int64_t number, real* out) const {
  static_assert(group == 128);  // eight numbers of 16 bits in each of 16 blocks
  const Words lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  std::array<Words, 4> blocks{lane + static_cast<uint32_t>(number * 16), Words{} + stream_.step,
                              Words{} + stream_.part, Words{} + stream_.use};
  philox16(blocks, stream_.seed);
  for (int64_t i = 0; i < 4; ++i) {
    select(blocks[i] & 0xffff, threshold_, scale_, out + i * 32);
    select(blocks[i] >> 16, threshold_, scale_, out + i * 32 + 16);
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
  parallel_for(size, long_piece(size, piece), [&](int64_t begin, int64_t end) {
    alignas(64) real some[chunk];
    for (int64_t i = begin; i < end; i += chunk) {
      const int64_t count = std::min(chunk, end - i);
      factors(i, count, some);
      map_into(
          count, to.data + i, to.add, [](Vec v, Vec f) { return v * f; }, from + i,
          static_cast<const real*>(some));
    }
  });
}

DropoutMask next_dropout_mask(const char* op, real p) {
  require(p >= 0 && p < 1, "{}: a dropout probability of {}", op, p);
  if (p == 0 || !Tape::current()) return {};
  return DropoutMask(next_random_stream(), p);
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
