#include "train/rank_state.h"

#include <algorithm>
#include <utility>

#include "core/tensor.h"
#include "ranks/collectives.h"

namespace calque {

WholeState::WholeState(Communicator& ranks, std::vector<RankWindow> windows, int64_t size,
                       int64_t padded)
    : ranks_(ranks), windows_(std::move(windows)), size_(size), padded_(padded) {
  for (const RankWindow& window : windows_) {
    const bool own = !window.share || ranks_.ranks() == 1;
    if (!own && ranks_.speaks()) memory_.push_back(zeros(size_));
    wholes_.push_back(own               ? window.window.values
                      : ranks_.speaks() ? span_of(memory_.back())
                                        : std::span<real>());
  }
}

std::span<real> WholeState::share_of_rank(size_t window, int rank) const {
  const Share share = share_of(ranks_, rank, padded_);
  const auto begin = static_cast<size_t>(std::min(share.begin, size_));
  return wholes_[window].subspan(begin, static_cast<size_t>(std::min(share.end, size_)) - begin);
}

void WholeState::gather() {
  for (size_t i = 0; i < windows_.size(); ++i) {
    const std::span<real> own = windows_[i].window.values;
    if (own.data() == wholes_[i].data() || !windows_[i].share) continue;
    if (!ranks_.speaks()) {
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
    if (!windows_[i].share) {
      broadcast(ranks_, std::as_writable_bytes(own));
    } else if (!ranks_.speaks()) {
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
