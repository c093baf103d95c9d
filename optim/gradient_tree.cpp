#include "optim/gradient_tree.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "core/flat_sum.h"
#include "core/simd/vector.h"
#include "optim/gradient_norm.h"

namespace calque {

FlatBlocks::FlatBlocks(const Parameters& parameters, int64_t count)
    : parts(count), block(round_up((parameters.flat_size() + count - 1) / count, cache_line)) {
  require(parts > 0 && std::has_single_bit(static_cast<uint64_t>(parts)),
          "FlatBlocks: {} parts are not a power of two", parts);
}

GradientTree::GradientTree(int64_t parts, Precision precision)
    : parts_(parts), precision_(precision) {
  require(parts > 0 && std::has_single_bit(static_cast<uint64_t>(parts)),
          "GradientTree: {} parts are not a power of two", parts);
}

// The last two sums wait for sum(), which adds them on all threads.
void GradientTree::add(int64_t part, Buffer<real> gradient) {
  for (Node node{0, part};; node = {node.level + 1, node.number / 2}) {
    Buffer<real> neighbour;
    {
      const std::lock_guard lock(mutex_);
      if ((int64_t{2} << node.level) < parts_) neighbour = take({node.level, node.number ^ 1});
      if (!neighbour) {
        sums_[node] = std::move(gradient);
        return;
      }
    }
    add_flat(span_of(gradient), span_of(neighbour), precision_);
  }
}

Buffer<real> GradientTree::take(const Node& node) {
  const auto found = sums_.find(node);
  if (found == sums_.end()) return {};
  Buffer<real> gradient = std::move(found->second);
  sums_.erase(found);
  return gradient;
}

Buffer<real>& GradientTree::sum() {
  if (sums_.size() == 2) {
    Buffer<real>& first = sums_.begin()->second;
    const Buffer<real> second = take(std::prev(sums_.end())->first);
    add_flat(span_of(first), {second.data(), static_cast<size_t>(second.size())}, precision_);
  }
  require(sums_.size() == 1, "GradientTree: some of the {} parts are missing", parts_);
  return sums_.begin()->second;
}

void GradientTree::clear() { sums_.clear(); }

int64_t GradientTree::buffers_for(int64_t parts, int64_t at_a_time) {
  const auto log2 = [](int64_t n) { return std::bit_width(static_cast<uint64_t>(n)) - 1; };
  return at_a_time + log2(parts) - log2(at_a_time);
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
