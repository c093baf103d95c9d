// Attention of a single query for each sentence, as the decoders of recurrent networks use it. The
// closure keeps the weights; the backward pass recomputes tanh(q + k).

#include <algorithm>
#include <array>
#include <memory>

#include "core/ops.h"
#include "core/ops/row_sums.h"
#include "core/profile.h"
#include "core/simd/math.h"
#include "core/threads/rows.h"

namespace calque {
namespace {

void check_ranges(const Tensor& q, const Tensor& keys, const Tensor& values, const Tensor& v,
                  std::span<const KeyRows> ranges) {
  require(q.shape().axes() == 2 && keys.shape().axes() == 2 && keys.cols() == q.cols() &&
              values.shape().axes() == 2 && values.rows() == keys.rows() &&
              std::ssize(ranges) == q.rows(),
          "attend_once: queries {}, keys {}, values {} and {} ranges", q.shape(), keys.shape(),
          values.shape(), ranges.size());
  require(!v || v.shape() == Shape{q.cols()}, "attend_once: v is {} for queries of {}", v.shape(),
          q.shape());
  for (const KeyRows& range : ranges) {
    require(0 <= range.begin && range.begin <= range.end && range.end <= keys.rows(),
            "attend_once: keys [{}, {}) of {}", range.begin, range.end, keys.shape());
  }
}

// The backward pass adds to the gradients of a key without a lock: no two queries may share it.
void check_disjoint(std::span<const KeyRows> ranges) {
  std::vector<KeyRows> sorted(ranges.begin(), ranges.end());
  std::erase_if(sorted, [](const KeyRows& range) { return range.begin == range.end; });
  std::ranges::sort(sorted, {}, &KeyRows::begin);
  for (size_t i = 1; i < sorted.size(); ++i) {
    require(sorted[i - 1].end <= sorted[i].begin,
            "attend_once: keys [{}, {}) and [{}, {}) overlap on a tape", sorted[i - 1].begin,
            sorted[i - 1].end, sorted[i].begin, sorted[i].end);
  }
}

// The weights of all queries, one after the other.
struct Weights {
  std::vector<KeyRows> ranges;
  std::vector<int64_t> starts;  // of each query in `numbers`
  Buffer<real> numbers;
  int64_t row_cost = 1;  // of a query, for each column of keys or values

  explicit Weights(std::span<const KeyRows> of) : ranges(of.begin(), of.end()), numbers(0) {
    starts.push_back(0);
    for (const KeyRows& range : ranges) starts.push_back(starts.back() + range.end - range.begin);
    numbers = Buffer<real>(std::max<int64_t>(1, total()));
    row_cost = 4 * (total() / std::max<int64_t>(1, std::ssize(ranges)) + 1);
  }
  int64_t total() const { return starts.back(); }
  int64_t queries() const { return std::ssize(ranges); }
};

void softmax_in_place(real* scores, int64_t count) {
  if (count == 0) return;
  const real most = *std::max_element(scores, scores + count);
  map(
      count, scores, [most](Vec score) { return exp(score - most); }, scores);
  const real scale = 1 / sum(sum_lanes(count, as_it_is, scores));
  map(
      count, scores, [scale](Vec weight) { return weight * scale; }, scores);
}

std::shared_ptr<Weights> weights_of(const Tensor& q, const Tensor& keys, const Tensor& v,
                                    std::span<const KeyRows> ranges) {
  const int64_t a = q.cols();
  const auto weights = std::make_shared<Weights>(ranges);
  const auto additive = [](Vec s, Vec k, Vec w) { return w * tanh(s + k); };
  for_each_row(q.rows(), weights->row_cost * a, [&](int64_t r) {
    const auto [first, last] = weights->ranges[r];
    real* const row = weights->numbers.data() + weights->starts[r];
    const real* const query = q.data() + r * a;
    for (int64_t i = first; i < last; ++i) {
      const real* const key = keys.data() + i * a;
      row[i - first] = v ? sum(sum_lanes(a, additive, query, key, v.data())) : dot(a, query, key);
    }
    softmax_in_place(row, last - first);
  });
  return weights;
}

// The gradients of the scores from those of the weights, dw: w (dw - sum of w dw).
void through_softmax(const real* w, real* dw, int64_t count) {
  const real mean = dot(count, w, dw);
  map(
      count, dw, [mean](Vec weight, Vec d) { return weight * (d - mean); }, w, dw);
}

// to (+)= by * from
void add_scaled(int64_t count, real* to, real by, const real* from) {
  map_into(
      count, to, true, [by](Vec x) { return by * x; }, from);
}

}  // namespace

Tensor attend_once(const Tensor& q, const Tensor& keys, const Tensor& values, const Tensor& v,
                   std::span<const KeyRows> ranges) {
  check_ranges(q, keys, values, v, ranges);
  if (recording({&q, &keys, &values, &v})) check_disjoint(ranges);
  const int64_t rows = q.rows(), a = q.cols(), d = values.cols();
  const std::shared_ptr<Weights> weights = weights_of(q, keys, v, ranges);
  const double flops = 2 * double(weights->total()) * double(a + d);
  count_work({.flops = flops});
  Tensor y({rows, d});
  for_each_row(rows, weights->row_cost * d, [&](int64_t r) {
    const auto [first, last] = weights->ranges[r];
    const real* const row = weights->numbers.data() + weights->starts[r];
    std::fill_n(y.data() + r * d, d, real(0));
    for (int64_t i = first; i < last; ++i) {
      add_scaled(d, y.data() + r * d, row[i - first], values.data() + i * d);
    }
  });
  const auto backward = [=, q = q.values(), keys = keys.values(), values = values.values(),
                         v = v.values(), dq = q.gradient(), dk = keys.gradient(),
                         dvalues = values.gradient(), dv = v.gradient()](Gradient& dy) {
    count_work({.flops = 2 * flops});
    real* const to_values = dvalues ? dvalues.open_cleared() : nullptr;
    real* const to_keys = dk ? dk.open_cleared() : nullptr;
    real* const to_q = dq ? dq.open_cleared() : nullptr;
    Buffer<real> dscores(std::max<int64_t>(1, weights->total()));
    for_each_row(rows, weights->row_cost * d, [&](int64_t r) {
      const auto [first, last] = weights->ranges[r];
      const real* const row = weights->numbers.data() + weights->starts[r];
      real* const drow = dscores.data() + weights->starts[r];
      for (int64_t i = first; i < last; ++i) {
        drow[i - first] = dot(d, dy.data() + r * d, values.data() + i * d);
        if (to_values) add_scaled(d, to_values + i * d, row[i - first], dy.data() + r * d);
      }
      through_softmax(row, drow, last - first);
    });
    // Adds the gradients of the query and the keys of one row; `sums` receives the gradient of v.
    const auto through_scores = [&](int64_t r, real* sums, std::span<real> through) {
      const auto [first, last] = weights->ranges[r];
      const real* const query = q.data() + r * a;
      for (int64_t i = first; i < last; ++i) {
        const real dscore = dscores[weights->starts[r] + i - first];
        const real* const key = keys.data() + i * a;
        if (!v) {
          if (to_q) add_scaled(a, to_q + r * a, dscore, key);
          if (to_keys) add_scaled(a, to_keys + i * a, dscore, query);
          continue;
        }
        const auto slope = [dscore](Vec s, Vec k, Vec w) {
          const Vec t = tanh(s + k);
          return dscore * w * (1 - t * t);
        };
        map(a, through.data(), slope, query, key, v.data());
        if (to_q) add_scaled(a, to_q + r * a, 1, through.data());
        if (to_keys) add_scaled(a, to_keys + i * a, 1, through.data());
        map_into(
            a, sums, true, [dscore](Vec s, Vec k) { return dscore * tanh(s + k); }, query, key);
      }
    };
    const std::array<Sink, 1> to_v = {dv.open_if_wanted()};
    sum_over_rows(rows, a, to_v, [&](int64_t begin, int64_t end, real* sums) {
      std::vector<real> through(static_cast<size_t>(a));
      for (int64_t r = begin; r < end; ++r) through_scores(r, sums, through);
    });
  };
  return record("attend_once", y, {&q, &keys, &values, &v}, backward);
}

std::vector<std::vector<real>> attend_once_weights(const Tensor& q, const Tensor& keys,
                                                   const Tensor& v,
                                                   std::span<const KeyRows> ranges) {
  check_ranges(q, keys, keys, v, ranges);
  const std::shared_ptr<Weights> weights = weights_of(q, keys, v, ranges);
  std::vector<std::vector<real>> rows;
  for (int64_t r = 0; r < q.rows(); ++r) {
    const real* const numbers = weights->numbers.data();
    rows.emplace_back(numbers + weights->starts[r], numbers + weights->starts[r + 1]);
  }
  return rows;
}

}  // namespace calque
