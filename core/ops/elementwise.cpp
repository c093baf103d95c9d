// Elementwise arithmetic with broadcasting, and functions of one element. Each op is a loop over
// rows of vectors; its derivative stands beside it.

#include "core/ops.h"
#include "core/ops/row_sums.h"
#include "core/parallel.h"
#include "core/simd_math.h"

namespace calque {
namespace {

// How b is laid over a: a is `rows` rows of `cols`, and b repeats every `cols` numbers (a row), has
// one number a row, or is a single number. b of a's own shape is a row as long as all of a.
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
  require(a && b, "{}: {} is not there", op, a ? "the second tensor" : "the first tensor");
  const int64_t size = b.size();
  if (a.shape() == b.shape()) return {Broadcast::row, 1, size};
  if (size == 1) return {Broadcast::scalar, 1, a.size()};
  if (is_tail(b.shape(), a.shape())) return {Broadcast::row, size ? a.size() / size : 0, size};
  if (b.shape() == a.shape().with_cols(1)) return {Broadcast::column, a.rows(), a.cols()};
  throw Misuse(fmt::format("{}: {} does not broadcast over {}", op, b.shape(), a.shape()));
}

// Calls body(first, count, b) for stretches of at most a few thousand elements that share a row,
// where b(k) is the vector of b's values for the elements first + k....
constexpr int64_t stretch = 4096;

template <class Body>
void for_stretches(const Broadcast& over, Body&& body) {
  const int64_t per_row = (over.cols + stretch - 1) / stretch;
  for_rows(over.rows * per_row, std::min(over.cols, stretch), [&](int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s) {
      const int64_t row = s / per_row, col = s % per_row * stretch;
      body(row, col, std::min(stretch, over.cols - col));
    }
  });
}

// out[i] (+)= function(in[i]..., b[i's partner])
template <class Function, class... Input>
void apply(const Broadcast& over, Sink out, const real* b, Function function, const Input*... in) {
  for_stretches(over, [&](int64_t row, int64_t col, int64_t count) {
    const int64_t at = row * over.cols + col;
    if (over.kind == Broadcast::row) {
      map_into(count, out.data + at, out.add, function, (in + at)..., b + col);
    } else {
      const Vec same = broadcast(b[over.kind == Broadcast::column ? row : 0]);
      map_into(
          count, out.data + at, out.add, [&](auto... v) { return function(v..., same); },
          (in + at)...);
    }
  });
}

// db (+)= the sum of term(dy, in..., b) over all elements that share a number of b.
template <class Term, class... Input>
void reduce_to(const Broadcast& over, Sink db, const real* b, Term term, const Input*... in) {
  if (over.kind == Broadcast::row && over.rows == 1) return apply(over, db, b, term, in...);
  if (over.kind == Broadcast::row) {
    return sum_down_columns(over.rows, over.cols, db,
                            [&](int64_t r, int64_t c, int64_t count, real* sums) {
                              map_into(count, sums, true, term, (in + r * over.cols + c)..., b + c);
                            });
  }
  const bool column = over.kind == Broadcast::column;
  const auto row_sum = [&](int64_t row, int64_t from, int64_t to) {
    const Vec same = broadcast(b[column ? row : 0]);
    Vec total{};
    for (int64_t c = from; c < to; c += lanes) {
      const int64_t count = std::min(lanes, to - c), at = row * over.cols + c;
      const Vec t = term(load_first(in + at, count)..., same);
      alignas(64) real kept[lanes] = {};
      store_first(kept, t, count);  // what lies past the end does not count
      total += load(kept);
    }
    return sum(total);
  };
  if (column) {
    for_rows(over.rows, over.cols, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const real s = row_sum(r, 0, over.cols);
        db.data[r] = db.add ? db.data[r] + s : s;
      }
    });
  } else {
    const double s = parallel_reduce(
        over.cols, stretch, 0.0, [&](int64_t b0, int64_t e0) { return double(row_sum(0, b0, e0)); },
        std::plus<double>());
    *db.data = (db.add ? *db.data : 0) + static_cast<real>(s);
  }
}

// y = f(a, b); a's gradient is dy da(a, b), b's is dy db(a, b).
template <class F, class Da, class Db>
Tensor binary(const char* op, const Tensor& a, const Tensor& b, F f, Da da, Db db) {
  const Broadcast over = broadcast_over(op, a, b);
  Tensor y(a.shape());
  apply(over, {y.data(), false}, b.data(), f, a.data());
  return record(op, y, {&a, &b},
                [over, da, db, a = a.values(), b = b.values(), ga = a.gradient(),
                 gb = b.gradient()](Gradient& dy) {
                  const real* x = a.data();
                  if (gb) {
                    reduce_to(
                        over, gb.open(), b.data(),
                        [&](Vec d, Vec u, Vec v) { return d * db(u, v); }, dy.data(), x);
                  }
                  if (ga) {
                    apply(
                        over, ga.open(), b.data(),
                        [&](Vec d, Vec u, Vec v) { return d * da(u, v); }, dy.data(), x);
                  }
                });
}

constexpr Broadcast flat(int64_t size) { return {Broadcast::row, 1, size}; }

// y = f(x), with dx = dy d(x, y).
template <class F, class D>
Tensor unary(const char* op, const Tensor& x, F f, D d) {
  Tensor y(x.shape());
  const int64_t size = x.size();
  for_stretches(flat(size), [&](int64_t, int64_t at, int64_t count) {
    map(count, y.data() + at, f, x.data() + at);
  });
  return record(
      op, y, {&x}, [d, size, x = x.values(), y = y.values(), dx = x.gradient()](Gradient& dy) {
        const Sink out = dx.open();
        for_stretches(flat(size), [&](int64_t, int64_t at, int64_t count) {
          map_into(
              count, out.data + at, out.add, [&](Vec g, Vec u, Vec v) { return g * d(u, v); },
              dy.data() + at, x.data() + at, y.data() + at);
        });
      });
}

}  // namespace

namespace {

// y = a + sign b, of one shape: the way back needs no numbers of either.
Tensor add_alike(const char* op, const Tensor& a, const Tensor& b, real sign) {
  Tensor y(a.shape());
  const int64_t size = a.size();
  for_stretches(flat(size), [&](int64_t, int64_t at, int64_t count) {
    map(
        count, y.data() + at, [=](Vec u, Vec v) { return u + v * sign; }, a.data() + at,
        b.data() + at);
  });
  return record(op, y, {&a, &b}, [=, da = a.gradient(), db = b.gradient()](Gradient& dy) {
    if (db) {
      const Sink out = db.open();
      for_stretches(flat(size), [&](int64_t, int64_t at, int64_t count) {
        map_into(
            count, out.data + at, out.add, [=](Vec g) { return g * sign; }, dy.data() + at);
      });
    }
    if (da) da.accept(dy);
  });
}

bool alike(const Tensor& a, const Tensor& b) { return a && b && a.shape() == b.shape(); }

}  // namespace

Tensor operator+(const Tensor& a, const Tensor& b) {
  if (alike(a, b)) return add_alike("add", a, b, 1);
  const auto one = [](Vec, Vec) { return broadcast(1); };
  return binary(
      "add", a, b, [](Vec x, Vec y) { return x + y; }, one, one);
}

Tensor operator-(const Tensor& a, const Tensor& b) {
  if (alike(a, b)) return add_alike("subtract", a, b, -1);
  return binary(
      "subtract", a, b, [](Vec x, Vec y) { return x - y; }, [](Vec, Vec) { return broadcast(1); },
      [](Vec, Vec) { return broadcast(-1); });
}

Tensor operator*(const Tensor& a, const Tensor& b) {
  return binary(
      "multiply", a, b, [](Vec x, Vec y) { return x * y; }, [](Vec, Vec y) { return y; },
      [](Vec x, Vec) { return x; });
}

Tensor operator/(const Tensor& a, const Tensor& b) {
  return binary(
      "divide", a, b, [](Vec x, Vec y) { return x / y; }, [](Vec, Vec y) { return real(1) / y; },
      [](Vec x, Vec y) { return -x / (y * y); });
}

Tensor affine(const Tensor& x, real scale, real shift) {
  return unary(
      "affine", x, [=](Vec v) { return v * scale + shift; },
      [=](Vec, Vec) { return broadcast(scale); });
}

Tensor exp(const Tensor& x) {
  return unary(
      "exp", x, [](Vec v) { return exp(v); }, [](Vec, Vec y) { return y; });
}

Tensor log(const Tensor& x) {
  return unary(
      "log", x, [](Vec v) { return log(v); }, [](Vec v, Vec) { return real(1) / v; });
}

Tensor square(const Tensor& x) {
  return unary(
      "square", x, [](Vec v) { return v * v; }, [](Vec v, Vec) { return 2 * v; });
}

Tensor sqrt(const Tensor& x) {
  return unary(
      "sqrt", x, [](Vec v) { return sqrt(v); }, [](Vec, Vec y) { return real(0.5) / y; });
}

Tensor tanh(const Tensor& x) {
  return unary(
      "tanh", x, [](Vec v) { return tanh(v); }, [](Vec, Vec y) { return 1 - y * y; });
}

Tensor sigmoid(const Tensor& x) {
  return unary(
      "sigmoid", x, [](Vec v) { return sigmoid(v); }, [](Vec, Vec y) { return y * (1 - y); });
}

}  // namespace calque
