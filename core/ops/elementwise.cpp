// Elementwise arithmetic with broadcasting. A closure keeps only the values its derivatives need.

#include "core/ops.h"
#include "core/ops/row_sums.h"
#include "core/simd/vector.h"
#include "core/threads/rows.h"

namespace calque {
namespace {

// How b broadcasts over a, which has `rows` rows of `cols` numbers: b is one row, one number for
// each row (a column), or a single number. If the shapes are equal, all of a is one row.
struct Broadcast {
  enum Kind { row, column, scalar } kind;
  int64_t rows, cols;
};

bool is_tail(const Shape& b, const Shape& a) {
  const int skip = a.axes() - b.axes();
  for (int i = 0; i < b.axes(); ++i) {
    if (skip < 0 || a[skip + i] != b[i]) return false;
  }
  return true;
}

Broadcast broadcast_over(const char* op, const Tensor& a, const Tensor& b) {
  require(a && b, "{}: {} is absent", op, a ? "the second tensor" : "the first tensor");
  const int64_t size = b.size();
  if (a.shape() == b.shape()) return {Broadcast::row, 1, size};
  if (size == 1) return {Broadcast::scalar, 1, a.size()};
  if (is_tail(b.shape(), a.shape())) return {Broadcast::row, size ? a.size() / size : 0, size};
  if (b.shape() == a.shape().with_cols(1)) return {Broadcast::column, a.rows(), a.cols()};
  throw Misuse(fmt::format("{}: {} does not broadcast over {}", op, b.shape(), a.shape()));
}

// Calls body(row, col, count) for parts of at most a few thousand numbers of a row of a.
constexpr int64_t part_size = 4096;

template <class Body>
void for_parts(const Broadcast& over, Body&& body) {
  const int64_t per_row = (over.cols + part_size - 1) / part_size;
  for_each_row(over.rows * per_row, std::min(over.cols, part_size), [&](int64_t p) {
    const int64_t col = p % per_row * part_size;
    body(p / per_row, col, std::min(part_size, over.cols - col));
  });
}

// out[i] (+)= function(in[i]..., the number of b for element i)
template <class Function, class... Input>
void apply(const Broadcast& over, Sink out, const real* b, Function function, const Input*... in) {
  for_parts(over, [&](int64_t row, int64_t col, int64_t count) {
    const int64_t at = row * over.cols + col;
    if (over.kind == Broadcast::row) {
      map_into(count, out.data + at, out.add, function, (in + at)..., b + col);
    } else {
      const Vec same = broadcast(b[over.kind == Broadcast::column ? row : 0]);
      const auto with_same = [&](auto... v) { return function(v..., same); };
      map_into(count, out.data + at, out.add, with_same, (in + at)...);
    }
  });
}

// db (+)= the sum of term(in...) over all elements that share a number of b.
template <class Term, class... Input>
void reduce_to(const Broadcast& over, Sink db, Term term, const Input*... in) {
  const int64_t rows = over.rows, cols = over.cols;
  const auto sum_of = [&](int64_t at, int64_t count) {
    return sum(sum_lanes(count, term, (in + at)...));
  };
  if (over.kind == Broadcast::row && rows == 1) {
    for_parts(over, [&](int64_t, int64_t at, int64_t count) {
      map_into(count, db.data + at, db.add, term, (in + at)...);
    });
  } else if (over.kind == Broadcast::row) {
    sum_over_rows<1>(rows, cols, {db}, [&](int64_t begin, int64_t end, real* sums) {
      for (int64_t r = begin; r < end; ++r) map_into(cols, sums, true, term, (in + r * cols)...);
    });
  } else if (over.kind == Broadcast::column) {
    for_each_row(rows, cols, [&](int64_t r) {
      db.data[r] = (db.add ? db.data[r] : 0) + sum_of(r * cols, cols);
    });
  } else {
    const double total = parallel_reduce(
        cols, part_size, 0.0, [&](int64_t b, int64_t e) { return double(sum_of(b, e - b)); },
        std::plus<double>());
    *db.data = (db.add ? *db.data : 0) + static_cast<real>(total);
  }
}

// y = a + sign b
Tensor add(const char* op, const Tensor& a, const Tensor& b, real sign) {
  const Broadcast over = broadcast_over(op, a, b);
  const auto plus = [=](Vec u, Vec v) { return u + v * sign; };
  const auto slope = [=](Vec g) { return g * sign; };
  Tensor y(a.shape());
  apply(over, {y.data(), false}, b.data(), plus, a.data());
  return record(op, y, {&a, &b}, [=, da = a.gradient(), db = b.gradient()](Gradient& dy) {
    if (db) reduce_to(over, db.open(), slope, dy.data());
    if (da) da.accept(dy);
  });
}

}  // namespace

Tensor operator+(const Tensor& a, const Tensor& b) { return add("add", a, b, 1); }
Tensor operator-(const Tensor& a, const Tensor& b) { return add("subtract", a, b, -1); }

Tensor operator*(const Tensor& a, const Tensor& b) {
  const Broadcast over = broadcast_over("multiply", a, b);
  Tensor y(a.shape());
  apply(over, {y.data(), false}, b.data(), times, a.data());
  return record(
      "multiply", y, {&a, &b},
      [over, a = a.values(), b = b.values(), da = a.gradient(), db = b.gradient()](Gradient& dy) {
        if (db) reduce_to(over, db.open(), times, dy.data(), a.data());
        if (da) apply(over, da.open(), b.data(), times, dy.data());
      });
}

// y = a / b: da = dy / b, db = -sum(dy y) / b
Tensor operator/(const Tensor& a, const Tensor& b) {
  const Broadcast over = broadcast_over("divide", a, b);
  const auto ratio = [](Vec u, Vec v) { return u / v; };
  const auto da_of = [](Vec g, Vec v) { return g * (real(1) / v); };
  const auto db_of = [](Vec s, Vec v) { return -s / v; };
  Tensor y(a.shape());
  apply(over, {y.data(), false}, b.data(), ratio, a.data());
  return record(
      "divide", y, {&a, &b},
      [=, y = y.values(), b = b.values(), da = a.gradient(), db = b.gradient()](Gradient& dy) {
        if (db) {
          const Values sums(b.size());
          reduce_to(over, {sums.data(), false}, times, dy.data(), y.data());
          const Sink out = db.open();
          map_into(b.size(), out.data, out.add, db_of, sums.data(), b.data());
        }
        if (da) apply(over, da.open(), b.data(), da_of, dy.data());
      });
}

Tensor affine(const Tensor& x, real scale, real shift) {
  const Broadcast over{Broadcast::row, 1, x.size()};
  const auto f = [=](Vec v) { return v * scale + shift; };
  const auto slope = [=](Vec g) { return g * scale; };
  Tensor y(x.shape());
  for_parts(over, [&](int64_t, int64_t at, int64_t count) {
    map(count, y.data() + at, f, x.data() + at);
  });
  return record("affine", y, {&x}, [=, dx = x.gradient()](Gradient& dy) {
    reduce_to(over, dx.open(), slope, dy.data());
  });
}

}  // namespace calque
