#pragma once
// What all ranks do together; each of them calls the same function with the same sizes. All are
// made of exchanges between two ranks, in log2 of the number of ranks rounds.

#include <span>
#include <string>
#include <vector>

#include "core/blas.h"
#include "core/real.h"
#include "ranks/communicator.h"

namespace calque {

// The bytes of every rank, in the order of ranks. `all` has room for ranks * mine.
void all_gather(Communicator& ranks, std::span<const std::byte> mine, std::span<std::byte> all);

template <class Value>
std::vector<Value> all_gather(Communicator& ranks, std::span<const Value> mine) {
  std::vector<Value> all(mine.size() * static_cast<size_t>(ranks.ranks()));
  all_gather(ranks, std::as_bytes(mine), std::as_writable_bytes(std::span(all)));
  return all;
}
std::vector<std::string> all_gather_texts(Communicator& ranks, const std::string& mine);

// Gives all ranks the bytes of rank 0.
void broadcast(Communicator& ranks, std::span<std::byte> bytes);
template <class Value>
Value broadcast(Communicator& ranks, Value value) {
  broadcast(ranks, std::as_writable_bytes(std::span(&value, 1)));
  return value;
}
std::string broadcast_text(Communicator& ranks, const std::string& text);

// Returns when all ranks have called it.
void wait_for_all(Communicator& ranks);

// A share of `size` numbers, which the number of ranks divides: of rank r that with the bits of r
// in reverse order, as sum_shares() leaves it.
struct Share {
  int64_t begin = 0, end = 0;
};
Share share_of(const Communicator& ranks, int rank, int64_t size);

// Adds the numbers of all ranks: afterwards this rank's share of them holds the sums, and the rest
// is unspecified. Recursive halving: in round k = 0, 1, ... rank r and rank r ^ 2^k exchange halves
// of what they hold and add. That is the binary tree over the ranks, because a + b = b + a to the
// bit, so a sum over ranks continues one over the parts of each (optim/gradient_tree.h). In
// bfloat16, which is for float alone, half as many bytes are sent.
void sum_shares(Communicator& ranks, std::span<real> numbers,
                Precision precision = Precision::full);

// Gives all ranks the share of each: the rounds of sum_shares() in reverse order. `numbers` may end
// before `size`.
void gather_shares(Communicator& ranks, std::span<real> numbers, int64_t size);

}  // namespace calque
