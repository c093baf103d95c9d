#include "train/ranks/ranges.h"

#include <algorithm>

#include "core/memory/pool.h"
#include "ranks/collectives.h"

namespace calque {

void gather_ranges(Communicator& ranks, std::span<real> numbers,
                   std::span<const FlatRanges> of_rank) {
  int64_t longest = 0;
  for (const FlatRanges& ranges : of_rank) longest = std::max(longest, size_of(ranges));
  Buffer<real> all(longest * ranks.ranks());
  const auto for_ranges = [&](int rank, auto&& copy) {
    real* at = all.data() + longest * rank;
    for (const FlatRange& range : of_rank[static_cast<size_t>(rank)]) {
      copy(numbers.data() + range.begin, range.size(), at);
      at += range.size();
    }
  };
  for_ranges(ranks.rank(),
             [](const real* from, int64_t size, real* to) { std::copy_n(from, size, to); });
  const auto size = static_cast<size_t>(longest);
  const std::span whole(all.data(), size * static_cast<size_t>(ranks.ranks()));
  const auto mine = whole.subspan(size * static_cast<size_t>(ranks.rank()), size);
  all_gather(ranks, std::as_bytes(mine), std::as_writable_bytes(whole));
  for (int rank = 0; rank < ranks.ranks(); ++rank) {
    if (rank == ranks.rank()) continue;
    for_ranges(rank,
               [](real* to, int64_t count, const real* from) { std::copy_n(from, count, to); });
  }
}

}  // namespace calque
