#pragma once
// Collective operations: all ranks call the same function with the same sizes; only texts may
// differ in size. An operation consists of log2(ranks) rounds of exchanges between pairs of ranks,
// or twice as many for texts.

#include <span>
#include <string>
#include <vector>

#include "core/products/blas.h"
#include "core/real.h"
#include "ranks/communicator.h"

namespace calque {

// Gathers the bytes of every rank, in the order of ranks. `all` has the size ranks() * mine.size().
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

// The share of a rank: one of ranks() equal parts of `size` numbers. The index of the part is the
// rank with its bits in reverse order, which is the part that sum_shares() completes on that rank.
struct Share {
  int64_t begin = 0, end = 0;
};
Share share_of(const Communicator& ranks, int rank, int64_t size);

// Adds the numbers of all ranks (reduce-scatter): afterwards this rank's share holds the sums, and
// the rest is unspecified. Recursive halving: in round k = 0, 1, ... rank r and rank r ^ 2^k
// exchange halves of their current parts and add them. The sums form a binary tree over the ranks,
// because a + b = b + a to the bit, and so continue the tree over the parts of each rank
// (optim/gradient_tree.h). With bfloat16, which requires real = float, half as many bytes are sent.
void sum_shares(Communicator& ranks, std::span<real> numbers,
                Precision precision = Precision::full);

// Gives all ranks the shares of all others (all-gather), in the rounds of sum_shares() in reverse
// order. `numbers` may be shorter than `size`.
void gather_shares(Communicator& ranks, std::span<real> numbers, int64_t size);

}  // namespace calque
