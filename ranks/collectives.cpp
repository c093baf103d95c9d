#include "ranks/collectives.h"

#include <algorithm>

#include "core/error.h"
#include "core/flat_sum.h"
#include "core/memory/pool.h"

namespace calque {
namespace {

// The size of a message, in numbers: so small that a received message stays in the cache until it
// is added.
constexpr int64_t message_size = 1 << 18;

// The numbers [begin, end), clipped to the end of the buffer.
std::span<real> part_of(std::span<real> numbers, int64_t begin, int64_t end) {
  const int64_t size = std::ssize(numbers);
  const auto from = static_cast<size_t>(std::min(begin, size));
  return numbers.subspan(from, static_cast<size_t>(std::min(end, size)) - from);
}

// Exchanges one message with a partner: sends the numbers `given`, and adds the received ones to
// `kept`.
class MessageAdder {
 public:
  MessageAdder(Communicator& ranks, int64_t largest, Precision precision)
      : ranks_(ranks), precision_(precision) {
    if (precision == Precision::full) arrived_ = Buffer<real>(largest);
    if (precision != Precision::full) sent_halves_ = Buffer<uint16_t>(largest);
    if (precision != Precision::full) arrived_halves_ = Buffer<uint16_t>(largest);
  }

  void exchange(int partner, std::span<const real> given, std::span<real> kept) {
    if (precision_ == Precision::full) {
      const std::span<real> in(arrived_.data(), kept.size());
      ranks_.exchange(partner, std::as_bytes(given), std::as_writable_bytes(in));
      return add_flat(kept, in, precision_);
    }
#ifndef CALQUE_DOUBLE
    const std::span<uint16_t> out(sent_halves_.data(), given.size());
    const std::span<uint16_t> in(arrived_halves_.data(), kept.size());
    round_flat(given, out);
    ranks_.exchange(partner, std::as_bytes(out), std::as_writable_bytes(in));
    add_rounded(kept, in);
#endif
  }

 private:
  Communicator& ranks_;
  const Precision precision_;
  Buffer<real> arrived_;
  Buffer<uint16_t> sent_halves_, arrived_halves_;
};

}  // namespace

void all_gather(Communicator& ranks, std::span<const std::byte> mine, std::span<std::byte> all) {
  const size_t size = mine.size();
  const auto rank = static_cast<size_t>(ranks.rank());
  require(all.size() == size * static_cast<size_t>(ranks.ranks()),
          "all_gather: {} bytes for {} ranks of {} bytes each", all.size(), ranks.ranks(), size);
  std::copy(mine.begin(), mine.end(), all.begin() + static_cast<std::ptrdiff_t>(rank * size));
  // This rank holds the bytes of `held` neighbouring ranks, whose numbers differ only in the lowest
  // bits, and exchanges them with a rank that holds the bytes of the adjacent `held` ranks.
  for (size_t held = 1; held < static_cast<size_t>(ranks.ranks()); held *= 2) {
    const size_t own = rank / held * held, others = own ^ held;
    ranks.exchange(static_cast<int>(rank ^ held), all.subspan(own * size, held * size),
                   all.subspan(others * size, held * size));
  }
}

std::vector<std::string> all_gather_texts(Communicator& ranks, const std::string& mine) {
  const auto size = static_cast<int64_t>(mine.size());
  const std::vector<int64_t> sizes = all_gather(ranks, std::span(&size, 1));
  const auto longest = static_cast<size_t>(*std::ranges::max_element(sizes));
  std::string padded = mine;
  padded.resize(longest);
  const std::vector<char> all = all_gather(ranks, std::span<const char>(padded));
  std::vector<std::string> texts;
  for (size_t r = 0; r < sizes.size(); ++r) {
    texts.emplace_back(all.data() + r * longest, static_cast<size_t>(sizes[r]));
  }
  return texts;
}

// The first round sends to rank ranks() / 2, the last round to all odd ranks.
void broadcast(Communicator& ranks, std::span<std::byte> bytes) {
  for (int distance = ranks.ranks() / 2; distance >= 1; distance /= 2) {
    const int offset = ranks.rank() % (2 * distance);
    if (offset == 0) ranks.exchange(ranks.rank() + distance, bytes, {});
    if (offset == distance) ranks.exchange(ranks.rank() - distance, {}, bytes);
  }
}

std::string broadcast_text(Communicator& ranks, const std::string& text) {
  const auto size = broadcast(ranks, static_cast<uint64_t>(text.size()));
  std::string all = ranks.is_rank_zero() ? text : std::string(size, '\0');
  broadcast(ranks, std::as_writable_bytes(std::span(all)));
  return all;
}

void wait_for_all(Communicator& ranks) {
  const std::byte nothing{};
  all_gather(ranks, std::span(&nothing, 1));
}

Share share_of(const Communicator& ranks, int rank, int64_t size) {
  require(size % ranks.ranks() == 0, "share_of: {} ranks do not divide {} numbers", ranks.ranks(),
          size);
  Share share{0, size};
  for (int bit = 1; bit < ranks.ranks(); bit *= 2) {
    const int64_t middle = (share.begin + share.end) / 2;
    ((rank & bit) != 0 ? share.begin : share.end) = middle;
  }
  return share;
}

void sum_shares(Communicator& ranks, std::span<real> numbers, Precision precision) {
  if (ranks.ranks() == 1) return;
  require(precision == Precision::full || sizeof(real) == sizeof(float),
          "sum_shares: bfloat16 requires real = float");
  Share held{0, std::ssize(numbers)};
  MessageAdder adder(ranks, std::min(message_size, std::ssize(numbers) / 2), precision);
  for (int bit = 1; bit < ranks.ranks(); bit *= 2) {
    const int64_t half = (held.end - held.begin) / 2, middle = held.begin + half;
    const bool upper = (ranks.rank() & bit) != 0;
    const int64_t kept = upper ? middle : held.begin, given = upper ? held.begin : middle;
    for (int64_t at = 0; at < half; at += message_size) {
      const int64_t end = std::min(half, at + message_size);
      adder.exchange(ranks.rank() ^ bit, part_of(numbers, given + at, given + end),
                     part_of(numbers, kept + at, kept + end));
    }
    held = {kept, kept + half};
  }
}

void gather_shares(Communicator& ranks, std::span<real> numbers, int64_t size) {
  Share held = share_of(ranks, ranks.rank(), size);
  for (int bit = ranks.ranks() / 2; bit >= 1; bit /= 2) {
    const int64_t length = held.end - held.begin;
    const bool upper = (ranks.rank() & bit) != 0;
    const int64_t other = upper ? held.begin - length : held.end;
    ranks.exchange(ranks.rank() ^ bit, std::as_bytes(part_of(numbers, held.begin, held.end)),
                   std::as_writable_bytes(part_of(numbers, other, other + length)));
    held = {std::min(held.begin, other), std::min(held.begin, other) + 2 * length};
  }
}

}  // namespace calque
