#pragma once
// Exchanges ranges of a flat buffer that are not the equal shares of ranks/collectives.h.

#include <span>

#include "optim/flat_ranges.h"
#include "ranks/communicator.h"

namespace calque {

// Gives all ranks the numbers that each of them holds in its ranges. `of_rank` is the same on all
// ranks.
void gather_ranges(Communicator& ranks, std::span<real> numbers,
                   std::span<const FlatRanges> of_rank);

}  // namespace calque
