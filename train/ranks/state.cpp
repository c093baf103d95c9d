#include "train/ranks/state.h"

#include <algorithm>
#include <utility>

#include "core/tensor.h"
#include "ranks/collectives.h"

namespace calque {
namespace {

using Holder = RankWindow::Holder;

}  // namespace

WholeState::WholeState(Communicator& ranks, std::vector<RankWindow> windows, int64_t size,
                       int64_t padded)
    : ranks_(ranks), windows_(std::move(windows)), size_(size), padded_(padded) {
  for (const RankWindow& window : windows_) {
    const bool one = window.holder == Holder::one;
    const bool own = window.holder == Holder::all || ranks_.ranks() == 1 ||
                     (one && window.rank == ranks_.rank());
    if (!own && ranks_.is_rank_zero()) memory_.push_back(zeros(one ? window.size : size_));
    wholes_.push_back(own                     ? window.window.values
                      : ranks_.is_rank_zero() ? span_of(memory_.back())
                                              : std::span<real>());
  }
}

std::span<real> WholeState::share_of_rank(size_t window, int rank) const {
  const Share share = share_of(ranks_, rank, padded_);
  const auto begin = static_cast<size_t>(std::min(share.begin, size_));
  return wholes_[window].subspan(begin, static_cast<size_t>(std::min(share.end, size_)) - begin);
}

void WholeState::move(size_t window, bool to_first) {
  const int holder = windows_[window].rank;
  if (holder == 0 || (ranks_.rank() != 0 && ranks_.rank() != holder)) return;
  const bool receives = ranks_.is_rank_zero() == to_first;
  const std::span<real> whole = wholes_[window];
  const int partner = ranks_.is_rank_zero() ? holder : 0;
  if (receives) {
    ranks_.exchange(partner, {}, std::as_writable_bytes(whole));
  } else {
    ranks_.exchange(partner, std::as_bytes(whole), {});
  }
}

void WholeState::gather() {
  for (size_t i = 0; i < windows_.size(); ++i) {
    if (windows_[i].holder == Holder::one) move(i, true);
    const std::span<real> own = windows_[i].window.values;
    if (own.data() == wholes_[i].data() || windows_[i].holder != Holder::shares) continue;
    if (!ranks_.is_rank_zero()) {
      ranks_.exchange(0, std::as_bytes(own), {});
      continue;
    }
    std::ranges::copy(own, share_of_rank(i, 0).begin());
    for (int rank = 1; rank < ranks_.ranks(); ++rank) {
      ranks_.exchange(rank, {}, std::as_writable_bytes(share_of_rank(i, rank)));
    }
  }
}

void WholeState::scatter() {
  for (size_t i = 0; i < windows_.size(); ++i) {
    const std::span<real> own = windows_[i].window.values;
    if (windows_[i].holder == Holder::one) {
      move(i, false);
    } else if (windows_[i].holder == Holder::all) {
      broadcast(ranks_, std::as_writable_bytes(own));
    } else if (!ranks_.is_rank_zero()) {
      ranks_.exchange(0, {}, std::as_writable_bytes(own));
    } else if (own.data() != wholes_[i].data()) {
      std::ranges::copy(share_of_rank(i, 0), own.begin());
      for (int rank = 1; rank < ranks_.ranks(); ++rank) {
        ranks_.exchange(rank, std::as_bytes(share_of_rank(i, rank)), {});
      }
    }
  }
}

template <class Named>
std::vector<Named> WholeState::named() const {
  std::vector<Named> list;
  for (size_t i = 0; i < windows_.size(); ++i) {
    const std::span<real> whole = wholes_[i];
    list.push_back({windows_[i].window.name, {std::ssize(whole)}, whole});
  }
  return list;
}

template std::vector<NamedTensor> WholeState::named() const;
template std::vector<TensorSlot> WholeState::named() const;

}  // namespace calque
