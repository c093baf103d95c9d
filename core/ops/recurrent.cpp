// Steps of recurrent networks, and the attention of a single query for each sentence that their
// decoders use. A network over time calls a step for each position: the products with the weights
// are linear() outside, the gates are here. The closures keep the gates.

#include <algorithm>
#include <memory>

#include "core/ops.h"
#include "core/ops/row_sums.h"
#include "core/parallel.h"
#include "core/profile.h"
#include "core/simd_math.h"

namespace calque {
namespace {

constexpr int64_t gate_cost = 16;  // of an element, in additions

void check_step(const char* op, const Tensor& x, const Tensor& u, const Tensor& state,
                int64_t gates, int64_t width) {
  const int64_t h = state.cols() / width;
  require(state.shape().axes() == 2 && state.cols() == h * width && x.shape() == u.shape() &&
              x.shape() == Shape{state.rows(), gates * h},
          "{}: x is {}, u is {}, the state is {}", op, x.shape(), u.shape(), state.shape());
}

// The backward pass writes each row through `row`, which may need `scratch` numbers.
template <class Row>
void each_row(int64_t rows, int64_t cols, Row&& row) {
  for_rows(rows, cols * gate_cost, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) row(r);
  });
}

const auto sigmoid_of_sum = [](Vec a, Vec b) { return sigmoid(a + b); };
const auto tanh_of_sum = [](Vec a, Vec b) { return tanh(a + b); };

}  // namespace

Tensor gru_step(const Tensor& x, const Tensor& u, const Tensor& state) {
  check_step("gru_step", x, u, state, 3, 1);
  const int64_t rows = state.rows(), h = state.cols();
  Tensor y(state.shape());
  const auto gates = std::make_shared<Buffer<real>>(std::max<int64_t>(1, rows * 3 * h));
  each_row(rows, h, [&](int64_t r) {
    const real *in = x.data() + r * 3 * h, *un = u.data() + r * 3 * h;
    real *reset = gates->data() + r * 3 * h, *update = reset + h, *fresh = update + h;
    map(2 * h, reset, sigmoid_of_sum, in, un);
    map(
        h, fresh, [](Vec a, Vec g, Vec b) { return tanh(a + g * b); }, in + 2 * h, reset,
        un + 2 * h);
    map(
        h, y.data() + r * h, [](Vec z, Vec n, Vec s) { return n + z * (s - n); }, update, fresh,
        state.data() + r * h);
  });
  const auto backward = [=, u = u.values(), state = state.values(), dx = x.gradient(),
                         du = u.gradient(), ds = state.gradient()](Gradient& dy) {
    const Sink to_x = dx ? dx.open() : Sink{}, to_u = du ? du.open() : Sink{},
               to_s = ds ? ds.open() : Sink{};
    for_rows(rows, h * gate_cost, [&](int64_t begin, int64_t end) {
      std::vector<real> before(static_cast<size_t>(3 * h));  // gradients before the activations
      real *const d_reset = before.data(), *const d_update = d_reset + h,
                  *const d_fresh = d_update + h;
      for (int64_t r = begin; r < end; ++r) {
        const real *reset = gates->data() + r * 3 * h, *update = reset + h, *fresh = update + h;
        const real *g = dy.data() + r * h, *un = u.data() + (r * 3 + 2) * h;
        map(
            h, d_fresh, [](Vec d, Vec z, Vec n) { return d * (1 - z) * (1 - n * n); }, g, update,
            fresh);
        map(
            h, d_update, [](Vec d, Vec z, Vec n, Vec s) { return d * (s - n) * z * (1 - z); }, g,
            update, fresh, state.data() + r * h);
        map(
            h, d_reset, [](Vec d, Vec b, Vec v) { return d * b * v * (1 - v); }, d_fresh, un,
            reset);
        if (to_x.data) {
          map_into(3 * h, to_x.data + r * 3 * h, to_x.add, as_it_is, before.data());
        }
        if (to_u.data) {
          real* const out = to_u.data + r * 3 * h;
          map_into(2 * h, out, to_u.add, as_it_is, before.data());
          map_into(h, out + 2 * h, to_u.add, times, d_fresh, reset);
        }
        if (to_s.data) map_into(h, to_s.data + r * h, to_s.add, times, g, update);
      }
    });
  };
  return record("gru_step", y, {&x, &u, &state}, backward);
}

Tensor lstm_step(const Tensor& x, const Tensor& u, const Tensor& state) {
  check_step("lstm_step", x, u, state, 4, 2);
  const int64_t rows = state.rows(), h = state.cols() / 2;
  Tensor y(state.shape());
  const auto gates = std::make_shared<Buffer<real>>(std::max<int64_t>(1, rows * 4 * h));
  each_row(rows, h, [&](int64_t r) {
    const real *in = x.data() + r * 4 * h, *un = u.data() + r * 4 * h;
    real *enter = gates->data() + r * 4 * h, *forget = enter + h, *fresh = forget + h,
         *leave = fresh + h;
    map(2 * h, enter, sigmoid_of_sum, in, un);
    map(h, fresh, tanh_of_sum, in + 2 * h, un + 2 * h);
    map(h, leave, sigmoid_of_sum, in + 3 * h, un + 3 * h);
    real *hidden = y.data() + r * 2 * h, *cell = hidden + h;
    map(
        h, cell, [](Vec f, Vec c, Vec i, Vec n) { return f * c + i * n; }, forget,
        state.data() + r * 2 * h + h, enter, fresh);
    map(
        h, hidden, [](Vec o, Vec c) { return o * tanh(c); }, leave, cell);
  });
  const auto backward = [=, y = y.values(), state = state.values(), dx = x.gradient(),
                         du = u.gradient(), ds = state.gradient()](Gradient& dy) {
    const Sink to_x = dx ? dx.open() : Sink{}, to_u = du ? du.open() : Sink{},
               to_s = ds ? ds.open() : Sink{};
    for_rows(rows, h * gate_cost, [&](int64_t begin, int64_t end) {
      std::vector<real> before(static_cast<size_t>(4 * h)), of_cell(static_cast<size_t>(h));
      real *const d_enter = before.data(), *const d_forget = d_enter + h,
                  *const d_fresh = d_forget + h, *const d_leave = d_fresh + h;
      for (int64_t r = begin; r < end; ++r) {
        const real *enter = gates->data() + r * 4 * h, *forget = enter + h, *fresh = forget + h,
                   *leave = fresh + h;
        const real *g = dy.data() + r * 2 * h, *cell = y.data() + r * 2 * h + h,
                   *cell_before = state.data() + r * 2 * h + h;
        const auto through_cell = [](Vec d, Vec dc, Vec o, Vec c) {
          const Vec t = tanh(c);
          return dc + d * o * (1 - t * t);
        };
        map(h, of_cell.data(), through_cell, g, g + h, leave, cell);
        const auto of_sigmoid = [](Vec d, Vec other, Vec v) { return d * other * v * (1 - v); };
        map(h, d_enter, of_sigmoid, of_cell.data(), fresh, enter);
        map(h, d_forget, of_sigmoid, of_cell.data(), cell_before, forget);
        map(
            h, d_fresh, [](Vec d, Vec i, Vec n) { return d * i * (1 - n * n); }, of_cell.data(),
            enter, fresh);
        map(
            h, d_leave, [](Vec d, Vec c, Vec o) { return d * tanh(c) * o * (1 - o); }, g, cell,
            leave);
        for (const Sink& to : {to_x, to_u}) {
          if (to.data) map_into(4 * h, to.data + r * 4 * h, to.add, as_it_is, before.data());
        }
        if (!to_s.data) continue;
        real* const out = to_s.data + r * 2 * h;
        if (!to_s.add) std::fill_n(out, h, real(0));  // the hidden half enters through u alone
        map_into(h, out + h, to_s.add, times, of_cell.data(), forget);
      }
    });
  };
  return record("lstm_step", y, {&x, &u, &state}, backward);
}

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

// The weights of all queries, one after the other.
struct Weights {
  std::vector<KeyRows> ranges;
  std::vector<int64_t> starts;  // of each query among the numbers
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
      count, scores, [most](Vec e) { return exp(e - most); }, scores);
  const real scale = 1 / sum(sum_lanes(count, as_it_is, scores));
  map(
      count, scores, [scale](Vec e) { return e * scale; }, scores);
}

std::shared_ptr<Weights> weights_of(const Tensor& q, const Tensor& keys, const Tensor& v,
                                    std::span<const KeyRows> ranges) {
  const int64_t a = q.cols();
  const auto weights = std::make_shared<Weights>(ranges);
  for_rows(q.rows(), weights->row_cost * a, [&](int64_t begin, int64_t end) {
    const auto additive = [](Vec s, Vec k, Vec w) { return w * tanh(s + k); };
    for (int64_t r = begin; r < end; ++r) {
      const auto [first, last] = weights->ranges[r];
      real* const row = weights->numbers.data() + weights->starts[r];
      const real* const query = q.data() + r * a;
      for (int64_t i = first; i < last; ++i) {
        const real* const key = keys.data() + i * a;
        row[i - first] = v ? sum(sum_lanes(a, additive, query, key, v.data())) : dot(a, query, key);
      }
      softmax_in_place(row, last - first);
    }
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
  const int64_t rows = q.rows(), a = q.cols(), d = values.cols();
  const std::shared_ptr<Weights> weights = weights_of(q, keys, v, ranges);
  const double flops = 2 * double(weights->total()) * double(a + d);
  count_work({.flops = flops});
  Tensor y({rows, d});
  for_rows(rows, weights->row_cost * d, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const auto [first, last] = weights->ranges[r];
      const real* const row = weights->numbers.data() + weights->starts[r];
      std::fill_n(y.data() + r * d, d, real(0));
      for (int64_t i = first; i < last; ++i) {
        add_scaled(d, y.data() + r * d, row[i - first], values.data() + i * d);
      }
    }
  });
  const auto backward = [=, q = q.values(), keys = keys.values(), values = values.values(),
                         v = v.values(), dq = q.gradient(), dk = keys.gradient(),
                         dvalues = values.gradient(), dv = v.gradient()](Gradient& dy) {
    count_work({.flops = 2 * flops});
    real* const to_values = dvalues ? dvalues.open_cleared() : nullptr;
    real* const to_keys = dk ? dk.open_cleared() : nullptr;
    real* const to_q = dq ? dq.open_cleared() : nullptr;
    Buffer<real> scores(std::max<int64_t>(1, weights->total()));  // their gradients
    for_rows(rows, weights->row_cost * d, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const auto [first, last] = weights->ranges[r];
        const real* const row = weights->numbers.data() + weights->starts[r];
        real* const score = scores.data() + weights->starts[r];
        for (int64_t i = first; i < last; ++i) {
          score[i - first] = dot(d, dy.data() + r * d, values.data() + i * d);
          if (to_values) add_scaled(d, to_values + i * d, row[i - first], dy.data() + r * d);
        }
        through_softmax(row, score, last - first);
      }
    });
    // To the query and the keys of one row; `sums` receives the gradient of v.
    const auto through_scores = [&](int64_t r, real* sums, std::span<real> through) {
      const auto [first, last] = weights->ranges[r];
      const real* const query = q.data() + r * a;
      for (int64_t i = first; i < last; ++i) {
        const real e = scores[weights->starts[r] + i - first];
        const real* const key = keys.data() + i * a;
        if (!v) {
          if (to_q) add_scaled(a, to_q + r * a, e, key);
          if (to_keys) add_scaled(a, to_keys + i * a, e, query);
          continue;
        }
        const auto slope = [e](Vec s, Vec k, Vec w) {
          const Vec t = tanh(s + k);
          return e * w * (1 - t * t);
        };
        map(a, through.data(), slope, query, key, v.data());
        if (to_q) add_scaled(a, to_q + r * a, 1, through.data());
        if (to_keys) add_scaled(a, to_keys + i * a, 1, through.data());
        map_into(
            a, sums, true, [e](Vec s, Vec k) { return e * tanh(s + k); }, query, key);
      }
    };
    const std::array<Sink, 1> to_v = {dv ? dv.open() : Sink{}};
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
