#include "optim/gradient_tree.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/flat_sum.h"
#include "optim/gradient_norm.h"

namespace calque {

FlatBlocks::FlatBlocks(const Parameters& parameters, int64_t count)
    : parts(count), block(round_up((parameters.flat_size() + count - 1) / count, cache_line)) {
  require(parts > 0 && std::has_single_bit(static_cast<uint64_t>(parts)),
          "FlatBlocks: {} parts are not a power of two", parts);
}

GradientTree::GradientTree(const Parameters& parameters, const FlatBlocks& blocks,
                           Precision precision)
    : parameters_(parameters),
      blocks_(blocks),
      precision_(precision),
      slices_(flat_slices(parameters, {}, whole_range(parameters))) {}

// The first part of a pair is copied to a new buffer, the second is added to it without a copy.
void GradientTree::add_part() {
  const bool adds = parts_ % 2 == 1;
  if (!adds) sums_.push_back(zeros(blocks_.size()));
  real* const to = sums_.back().data();
  std::vector<const real*> gradients;
  for (const Parameters::Entry& entry : parameters_.entries()) {
    gradients.push_back(entry.frozen() ? nullptr : entry.tensor.gradient().span().data());
  }
  for_slices(slices_, [&](const FlatSlice& s) {
    const real* const from = gradients[s.parameter] + s.offset;
    const auto size = static_cast<size_t>(s.size);
    if (adds) {
      add_flat({to + s.begin, size}, {from, size}, precision_);
    } else {
      std::copy_n(from, s.size, to + s.begin);
    }
  });
  ++parts_;
  for (int64_t together = 4; parts_ % together == 0; together *= 2) {
    const Buffer<real> second = std::move(sums_.back());
    sums_.pop_back();
    add_flat(span_of(sums_.back()), {second.data(), static_cast<size_t>(second.size())},
             precision_);
  }
}

std::span<real> GradientTree::sum() {
  require(sums_.size() == 1 && std::has_single_bit(static_cast<uint64_t>(parts_)),
          "GradientTree: {} parts are not a power of two", parts_);
  return span_of(sums_.front());
}

void GradientTree::clear() {
  sums_.clear();
  parts_ = 0;
}

int64_t GradientTree::buffers_for(int64_t parts) {
  return parts == 1 ? 1 : std::bit_width(static_cast<uint64_t>(parts)) - 1;
}

std::vector<double> squares_of_blocks(std::span<const real> gradient, const FlatBlocks& blocks,
                                      int64_t first, int64_t count) {
  std::vector<double> squares;
  const auto size = static_cast<size_t>(blocks.block);
  for (int64_t i = first; i < first + count; ++i) {
    squares.push_back(sum_of_squares(gradient.subspan(static_cast<size_t>(i) * size, size)));
  }
  return squares;
}

double norm_of_blocks(std::span<const double> squares) {
  double sum = 0;
  for (const double square : squares) sum += square;
  return std::sqrt(sum);
}

}  // namespace calque
