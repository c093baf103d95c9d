// Measures the smallest chunks first, so that no measurement uses much more than the limit.
#include "train/step/chunks.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/error.h"

namespace calque {
namespace {

constexpr int64_t most_chunks = 256;

// "21kB", "348MB".
std::string rounded_up(int64_t bytes) {
  const int64_t unit = bytes < 10'000'000 ? 1'000 : 1'000'000;
  return to_text(Bytes{(bytes / unit + 1) * unit});
}

}  // namespace

int64_t chunks_for_memory(Learner& learner, const Work& largest, int64_t slices, Bytes limit) {
  if (limit.count == 0) return 1;
  const auto memory_with = [&](int64_t count) {
    return learner.memory_of_step(largest, {slices, count});
  };
  const auto examples =
      static_cast<uint64_t>(std::max<int64_t>(1, largest.size().examples / slices));
  int64_t chunks = std::min<int64_t>(most_chunks, static_cast<int64_t>(std::bit_ceil(examples)));
  int64_t memory = memory_with(chunks);
  if (memory > limit.count) {
    fail(
        "training.memory_limit of {} is too small: with {} chunks a step takes {}, parameters, "
        "gradients and the optimizer's state included; raise it or choose a smaller model",
        to_text(limit), chunks, rounded_up(memory));
  }
  int64_t before = memory;
  while (chunks > 1) {
    // Halving the number again is expected to add twice the memory that the last halving added.
    const int64_t predicted = memory + 2 * (memory - before);
    if (predicted > limit.count + limit.count / 10) break;
    const int64_t next = memory_with(chunks / 2);
    if (next > limit.count) break;
    before = std::exchange(memory, next);
    chunks /= 2;
  }
  return chunks;
}

}  // namespace calque
