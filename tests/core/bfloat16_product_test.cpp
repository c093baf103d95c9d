// Products whose operands are rounded to bfloat16: against sums in double over rounded operands,
// and the same bits however they are split.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

#include "core/ops.h"
#include "core/product_fixture.h"
#include "core/products/blas.h"
#include "core/tape.h"
#include "support/sanitized.h"
#include "support/threads.h"

using namespace calque;

#ifdef CALQUE_DOUBLE

TEST_CASE("the double build has no products in bfloat16") {
  CHECK_THROWS_WITH_AS(ProductPrecision(Precision::bfloat16), doctest::Contains("real = double"),
                       Misuse);
  CHECK(ProductPrecision::current() == Precision::full);
}

#else

namespace {

// Sizes on both sides of every tile, panel and block, a block being 1,024 numbers deep.
constexpr ProductCase cases[] = {{13, 31, 17},    {97, 65, 255},   {24, 530, 40}, {200, 7, 513},
                                 {61, 129, 1200}, {129, 96, 1025}, {48, 48, 1},   {12, 32, 2048}};

Product product_of(const ProductCase& c) { return Product(c, Precision::bfloat16); }

}  // namespace

TEST_CASE("products equal the sums over rounded operands, for all transpositions and edges") {
  for (const ProductCase& c : cases) {
    const std::vector<real> bias = numbers(c.n, 4);
    for (int bits = 0; bits < 16; bits += sanitized ? 5 : 1) {
      const Product product =
          product_of({c.m, c.n, c.k, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0});
      const Finish finish = (bits & 8) != 0 ? Finish{bias.data(), true} : Finish{nullptr, false};
      CAPTURE(c.m);
      CAPTURE(c.n);
      CAPTURE(c.k);
      CAPTURE(bits);
      CHECK(product.error(product.by_gemm(real(0.5), finish), 0.5, finish) <
            1e-7 * static_cast<double>(c.k + 8));
    }
  }
}

TEST_CASE("a product in bfloat16 has the same bits however it is split") {
  for (int bits = 0; bits < 4; ++bits) {
    const Product product = product_of({150, 170, 1300, (bits & 1) != 0, (bits & 2) != 0});
    CHECK(product.by_block_product(real(0.5), 37, 51) == product.by_gemm(real(0.5)));
  }
}

TEST_CASE("a product in bfloat16 has the same bits on any number of threads") {
  const Threads as_before;
  for (const ProductCase& c :
       {ProductCase{700, 130, 300}, ProductCase{130, 700, 1100}, ProductCase{128, 384, 4096}}) {
    for (int bits = 0; bits < 4; bits += sanitized ? 3 : 1) {
      const Product product = product_of({c.m, c.n, c.k, (bits & 1) != 0, (bits & 2) != 0, true});
      set_threads(1);
      const std::vector<real> alone = product.by_gemm(real(0.5));
      for (int count = 2; count <= 4; ++count) {
        set_threads(count);
        CHECK(product.by_gemm(real(0.5)) == alone);
      }
    }
  }
}

TEST_CASE("a batch of products is in bfloat16 on every thread") {
  const Threads as_before;
  const ProductPrecision rounding(Precision::bfloat16);
  const Tensor a = Tensor::of({40, 32, 64}, numbers(40 * 32 * 64, 1));
  const Tensor b = Tensor::of({40, 64, 48}, numbers(40 * 64 * 48, 2));
  const auto product = [&] {
    const Tensor y = matmul(a, b);
    return std::vector<real>(y.span().begin(), y.span().end());
  };
  const auto in_full = [&] {
    const ProductPrecision full(Precision::full);
    return product();
  };
  set_threads(1);
  const std::vector<real> alone = product();
  CHECK(alone != in_full());
  for (int count = 2; count <= 4; ++count) {
    set_threads(count);
    CHECK(product() == alone);
  }
}

TEST_CASE("a precision holds for its scope and its thread") {
  const Product product = product_of({100, 40, 64});
  const auto in_scope = [&] {
    std::vector<real> c(100 * 40);
    gemm(product.left(), product.right(), c.data());
    return c;
  };
  const std::vector<real> before = in_scope();
  {
    const ProductPrecision rounding(Precision::bfloat16);
    CHECK(in_scope() != before);
    std::vector<real> elsewhere;
    std::thread([&] { elsewhere = in_scope(); }).join();
    CHECK(elsewhere == before);
    const ProductPrecision within(Precision::full);
    CHECK(in_scope() == before);
  }
  CHECK(in_scope() == before);
}

TEST_CASE(
    "gradients of a linear layer in bfloat16 are close to those in full precision, not equal") {
  const auto gradients = [](Precision precision) {
    const ProductPrecision rounding(precision);
    const Tensor x = variable(Tensor::of({96, 64}, numbers(96 * 64, 1)));
    const Tensor w = variable(Tensor::of({64, 80}, numbers(64 * 80, 2)));
    const Tape tape;
    backward(sum(square(linear(x, w, {}, Activation::relu))));
    std::vector<real> all(x.gradient().span().begin(), x.gradient().span().end());
    all.insert(all.end(), w.gradient().span().begin(), w.gradient().span().end());
    return all;
  };
  const std::vector<real> exact = gradients(Precision::full), near = gradients(Precision::bfloat16);
  double difference = 0, size = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    difference += std::pow(double(near[i]) - double(exact[i]), 2);
    size += std::pow(double(exact[i]), 2);
  }
  CHECK(std::sqrt(difference / size) < 0.01);
  CHECK(difference > 0);
}

#endif
