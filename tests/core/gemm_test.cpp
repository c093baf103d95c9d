// Matrix products: against three loops in double, and the same bits however they are cut.

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "core/blas.h"
#include "core/block_product.h"
#include "core/memory.h"
#include "core/packed_weights.h"
#include "core/random.h"
#include "support/threads.h"

using namespace calque;

namespace {

struct Case {
  int64_t m, n, k;
  bool flip_a, flip_b, add;
};

std::vector<real> numbers(int64_t count, uint64_t stream) {
  std::vector<real> values(static_cast<size_t>(count));
  fill_uniform({.seed = stream}, -1, 1, values);
  return values;
}

// A product with rows further apart than they are long, in all three matrices.
struct Product {
  explicit Product(const Case& c)
      : shape(c),
        a(numbers((c.flip_a ? c.k : c.m) * a_stride(), 1)),
        b(numbers((c.flip_b ? c.n : c.k) * b_stride(), 2)),
        start(numbers(c.m * c_stride(), 3)) {}

  int64_t a_stride() const { return (shape.flip_a ? shape.m : shape.k) + 3; }
  int64_t b_stride() const { return (shape.flip_b ? shape.k : shape.n) + 5; }
  int64_t c_stride() const { return shape.n + 2; }

  Matrix left() const {
    const Matrix lying(a.data(), shape.flip_a ? shape.k : shape.m, a_stride() - 3, a_stride());
    return shape.flip_a ? transposed(lying) : lying;
  }
  Matrix right() const {
    const Matrix lying(b.data(), shape.flip_b ? shape.n : shape.k, b_stride() - 5, b_stride());
    return shape.flip_b ? transposed(lying) : lying;
  }
  std::vector<real> by_gemm(real scale, Finish finish = {}) const {
    std::vector<real> c = start;
    gemm(left(), right(), {c.data(), shape.add}, scale, c_stride(), finish);
    return c;
  }
  ProductSize size() const { return {shape.m, shape.n, shape.k}; }
  std::vector<real> by_block_product(real scale) const {
    std::vector<real> c = start;
    Buffer<real> scratch(block_product_scratch(size(), strided(left())));
    block_product(size(), strided(left()), strided(right()),
                  {{c.data(), shape.add}, c_stride(), scale}, scratch.data());
    return c;
  }
  std::vector<real> by_packed_product(real scale, Finish finish = {}) const {
    std::vector<real> c = start;
    const PackedMatrix packed(strided(right()), shape.k, shape.n);
    block_product(size(), strided(left()), packed, 0,
                  {{c.data(), shape.add}, c_stride(), scale, finish});
    return c;
  }
  // A product's numbers with a bias and relu, one after the other.
  std::vector<real> finished(std::vector<real> c, Finish finish) const {
    for (int64_t i = 0; i < shape.m; ++i) {
      for (int64_t j = 0; j < shape.n; ++j) {
        real& number = c[static_cast<size_t>(i * c_stride() + j)];
        if (finish.bias) number += finish.bias[j];
        if (finish.relu) number = std::max(number, real(0));
      }
    }
    return c;
  }
  // The largest difference from the sums in double; numbers between the rows must be untouched.
  double error(const std::vector<real>& c, double scale) const {
    double worst = 0;
    for (int64_t i = 0; i < shape.m; ++i) {
      for (int64_t j = 0; j < c_stride(); ++j) {
        const auto at = static_cast<size_t>(i * c_stride() + j);
        double right_answer = double(start[at]);
        if (j < shape.n) right_answer = (shape.add ? right_answer : 0) + scale * sum(i, j);
        worst = std::max(worst, std::abs(double(c[at]) - right_answer));
      }
    }
    return worst;
  }
  double sum(int64_t i, int64_t j) const {
    double total = 0;
    for (int64_t p = 0; p < shape.k; ++p) {
      const int64_t in_a = shape.flip_a ? p * a_stride() + i : i * a_stride() + p;
      const int64_t in_b = shape.flip_b ? j * b_stride() + p : p * b_stride() + j;
      total += double(a[static_cast<size_t>(in_a)]) * double(b[static_cast<size_t>(in_b)]);
    }
    return total;
  }

  Case shape;
  std::vector<real> a, b, start;
};

// Sizes on both sides of every tile, panel and block. With 1,021 rows, a left side that lies as
// columns has them 1,024 numbers apart, where they compete for the caches.
std::vector<Case> cases() {
  std::vector<Case> all;
  const int64_t sizes[][3] = {{1, 1, 1},      {1, 33, 7},     {5, 16, 31},   {12, 32, 16},
                              {13, 31, 17},   {97, 65, 255},  {24, 530, 40}, {200, 7, 513},
                              {61, 129, 600}, {1021, 37, 300}};
  for (const auto& [m, n, k] : sizes) {
    for (int bits = 0; bits < 8; ++bits) {
      all.push_back({m, n, k, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0});
    }
  }
  return all;
}

}  // namespace

TEST_CASE("products equal their sums, for all transpositions, strides and edges") {
  for (const Case& c : cases()) {
    CAPTURE(c.m);
    CAPTURE(c.n);
    CAPTURE(c.k);
    CAPTURE(c.flip_a);
    CAPTURE(c.flip_b);
    CAPTURE(c.add);
    const Product product(c);
    const double bound = 2e-7 * static_cast<double>(c.k + 4);
    CHECK(product.error(product.by_gemm(real(0.5)), 0.5) < bound);
    const std::vector<real> by_blocks = product.by_block_product(real(0.5));
    CHECK(product.error(by_blocks, 0.5) < bound);
    CHECK(product.by_packed_product(real(0.5)) == by_blocks);
  }
}

TEST_CASE("a bias and relu taken in a product are those taken afterwards, to the bit") {
  for (const Case& c : cases()) {
    const Product product(c);
    const std::vector<real> bias = numbers(c.n, 4);
    for (const Finish finish :
         {Finish{bias.data(), false}, Finish{nullptr, true}, Finish{bias.data(), true}}) {
      CHECK(product.by_gemm(1, finish) == product.finished(product.by_gemm(1), finish));
      CHECK(product.by_packed_product(1, finish) ==
            product.finished(product.by_packed_product(1), finish));
    }
  }
  std::vector<real> nothing(6, 7);  // a sum over nothing
  const std::vector<real> bias{1, -2, 3};
  gemm({nullptr, 2, 0}, {nullptr, 0, 3}, {nothing.data(), false}, 1, 3, {bias.data(), true});
  CHECK(nothing == std::vector<real>{1, 0, 3, 1, 0, 3});
}

TEST_CASE("a product's bits do not depend on the number of threads") {
  const Threads as_before;
  for (const Case& c : {Case{700, 130, 300, false, false, false},
                        {130, 700, 90, false, true, true},
                        {128, 384, 1000, true, false, false},
                        {40, 2000, 64, false, false, true}}) {
    const Product product(c);
    set_threads(1);
    const std::vector<real> alone = product.by_gemm(1);
    for (int count = 2; count <= 4; ++count) {
      set_threads(count);
      CHECK(product.by_gemm(1) == alone);
    }
  }
}

TEST_CASE(
    "packed weights change no bits, are found by just their own matrix, and only while used") {
  const Threads as_before;
  for (const Case& c : {Case{700, 130, 300, false, false, false},
                        {100, 700, 90, false, true, true},
                        {20, 48, 600, false, false, false}}) {
    const Product product(c);
    const std::vector<real> plain = product.by_gemm(real(0.5));
    const PackedWeights packed({product.right(), product.left()});
    CHECK(PackedWeights::find(product.right()) == nullptr);
    {
      const PackedWeights::Use use(packed);
      CHECK((PackedWeights::find(product.right()) != nullptr) == own_product_is_faster());
      CHECK(PackedWeights::find(transposed(product.right())) == nullptr);
      for (int count = 1; count <= 3; ++count) {
        set_threads(count);
        CHECK(product.by_gemm(real(0.5)) == plain);
      }
    }
    CHECK(PackedWeights::find(product.right()) == nullptr);
  }
}

TEST_CASE("our own product gives every number the same bits wherever the result is cut") {
  const Product product({150, 700, 300, false, false, false});
  const std::vector<real> whole = product.by_block_product(1);
  const int64_t m = product.shape.m, n = product.shape.n, k = product.shape.k;
  Buffer<real> scratch(block_product_scratch({m, n, k}, strided(product.left())));
  std::vector<real> cut = product.start;
  for (int64_t row = 0; row < m; row += 37) {
    for (int64_t col = 0; col < n; col += 211) {
      block_product({std::min<int64_t>(37, m - row), std::min<int64_t>(211, n - col), k},
                    {product.a.data() + row * product.a_stride(), product.a_stride(), 1},
                    {product.b.data() + col, product.b_stride(), 1},
                    {{cut.data() + row * product.c_stride() + col, false}, product.c_stride()},
                    scratch.data());
    }
  }
  CHECK(cut == whole);
}
