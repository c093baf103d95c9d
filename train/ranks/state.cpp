#include "train/ranks/state.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/tensor.h"
#include "ranks/collectives.h"

namespace calque {
namespace {

FlatRanges pieces_of(const StateWindow& window) {
  if (window.pieces.empty() && !window.values.empty()) return {{0, std::ssize(window.values)}};
  return window.pieces;
}

// The pieces of all windows as one list: for each window, their number and their bounds.
std::string packed(const std::vector<StateWindow>& windows) {
  std::vector<int64_t> numbers;
  for (const StateWindow& window : windows) {
    const FlatRanges pieces = pieces_of(window);
    numbers.push_back(std::ssize(pieces));
    for (const FlatRange& piece : pieces) {
      numbers.push_back(piece.begin);
      numbers.push_back(piece.end);
    }
  }
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(int64_t)};
}

std::vector<FlatRanges> unpacked(const std::string& text, size_t windows) {
  std::vector<int64_t> numbers(text.size() / sizeof(int64_t));
  std::memcpy(numbers.data(), text.data(), text.size());
  auto next = numbers.begin();
  std::vector<FlatRanges> all(windows);
  for (FlatRanges& pieces : all) {
    pieces.resize(static_cast<size_t>(*next++));
    for (FlatRange& piece : pieces) piece = {*next++, *next++};
  }
  return all;
}

}  // namespace

WholeState::WholeState(Communicator& ranks, std::vector<StateWindow> windows)
    : ranks_(ranks), windows_(std::move(windows)) {
  for (const std::string& text : all_gather_texts(ranks_, packed(windows_))) {
    pieces_.push_back(unpacked(text, windows_.size()));
  }
  for (size_t i = 0; i < windows_.size(); ++i) {
    const bool own = std::ssize(windows_[i].values) == whole_size(i);
    if (!own && ranks_.is_rank_zero()) memory_.push_back(zeros(whole_size(i)));
    wholes_.push_back(own                     ? windows_[i].values
                      : ranks_.is_rank_zero() ? span_of(memory_.back())
                                              : std::span<real>());
  }
}

int64_t WholeState::whole_size(size_t window) const {
  int64_t size = 0;
  for (const std::vector<FlatRanges>& of_rank : pieces_) {
    if (!of_rank[window].empty()) size = std::max(size, of_rank[window].back().end);
  }
  return size;
}

template <class Copy>
void WholeState::for_pieces(size_t window, int rank, Copy&& copy) const {
  size_t at = 0;
  for (const FlatRange& piece : pieces_[static_cast<size_t>(rank)][window]) {
    const auto size = static_cast<size_t>(piece.size());
    copy(wholes_[window].subspan(static_cast<size_t>(piece.begin), size), at);
    at += size;
  }
}

void WholeState::gather() {
  for (size_t i = 0; i < windows_.size(); ++i) {
    const std::span<real> own = windows_[i].values;
    if (size_of(pieces_[0][i]) == whole_size(i)) continue;  // rank 0 has all values
    if (!ranks_.is_rank_zero()) {
      ranks_.exchange(0, std::as_bytes(own), {});
      continue;
    }
    for (int rank = 0; rank < ranks_.ranks(); ++rank) {
      Buffer<real> arrived(size_of(pieces_[static_cast<size_t>(rank)][i]));
      if (rank == 0) std::ranges::copy(own, arrived.data());
      if (rank != 0) ranks_.exchange(rank, {}, std::as_writable_bytes(span_of(arrived)));
      for_pieces(i, rank, [&](std::span<real> piece, size_t at) {
        std::copy_n(arrived.data() + at, piece.size(), piece.begin());
      });
    }
  }
}

void WholeState::scatter() {
  for (size_t i = 0; i < windows_.size(); ++i) {
    const std::span<real> own = windows_[i].values;
    if (!ranks_.is_rank_zero()) {
      ranks_.exchange(0, {}, std::as_writable_bytes(own));
      continue;
    }
    for (int rank = 0; rank < ranks_.ranks(); ++rank) {
      if (rank == 0 && own.data() == wholes_[i].data()) continue;
      Buffer<real> sent(size_of(pieces_[static_cast<size_t>(rank)][i]));
      for_pieces(i, rank, [&](std::span<real> piece, size_t at) {
        std::ranges::copy(piece, sent.data() + at);
      });
      if (rank == 0) std::ranges::copy(span_of(sent), own.begin());
      if (rank != 0) ranks_.exchange(rank, std::as_bytes(span_of(sent)), {});
    }
  }
}

template <class Named>
std::vector<Named> WholeState::named() const {
  std::vector<Named> list;
  for (size_t i = 0; i < windows_.size(); ++i) {
    list.push_back({windows_[i].name, {std::ssize(wholes_[i])}, wholes_[i]});
  }
  return list;
}

template std::vector<NamedTensor> WholeState::named() const;
template std::vector<TensorSlot> WholeState::named() const;

}  // namespace calque
