// Matrix products agree with sums in double, and have the same bits however they are split.

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "core/product_fixture.h"
#include "core/products/packed_weights.h"
#include "support/sanitized.h"
#include "support/threads.h"

using namespace calque;

namespace {

std::vector<real> by_packed_product(const Product& product, real scale, Finish finish = {}) {
  std::vector<real> c = product.start;
  const PackedMatrix packed(strided(product.right()), product.shape.k, product.shape.n);
  block_product(product.size(), strided(product.left()), {packed, 0},
                {{c.data(), product.shape.add}, product.c_stride(), scale, finish}, nullptr);
  return c;
}

// Adds the bias to a product's numbers, and then applies relu.
std::vector<real> finished(const Product& product, std::vector<real> c, Finish finish) {
  for (int64_t i = 0; i < product.shape.m; ++i) {
    for (int64_t j = 0; j < product.shape.n; ++j) {
      real& number = c[static_cast<size_t>(i * product.c_stride() + j)];
      if (finish.bias) number += finish.bias[j];
      if (finish.relu) number = std::max(number, real(0));
    }
  }
  return c;
}

// Sizes on both sides of every tile, panel and block. With 1,021 rows, the columns of a transposed
// left side are 1,024 numbers apart, so that they conflict in the caches.
std::vector<ProductCase> cases() {
  std::vector<ProductCase> all;
  const int64_t sizes[][3] = {{1, 1, 1},      {1, 33, 7},     {5, 16, 31},   {12, 32, 16},
                              {13, 31, 17},   {97, 65, 255},  {24, 530, 40}, {200, 7, 513},
                              {61, 129, 600}, {1021, 37, 300}};
  for (const auto& [m, n, k] : sizes) {
    for (int bits = 0; bits < 8; bits += sanitized ? 3 : 1) {
      all.push_back({m, n, k, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0});
    }
  }
  return all;
}

}  // namespace

TEST_CASE("products agree with sums in double, for all transpositions, strides and partial tiles") {
  for (const ProductCase& c : cases()) {
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
    CHECK(by_packed_product(product, real(0.5)) == by_blocks);
  }
}

TEST_CASE("a bias and relu fused into a product give the same bits as applied afterwards") {
  for (const ProductCase& c : cases()) {
    const Product product(c);
    const std::vector<real> bias = numbers(c.n, 4);
    for (const Finish finish :
         {Finish{bias.data(), false}, Finish{nullptr, true}, Finish{bias.data(), true}}) {
      CHECK(product.by_gemm(1, finish) == finished(product, product.by_gemm(1), finish));
      CHECK(by_packed_product(product, 1, finish) ==
            finished(product, by_packed_product(product, 1), finish));
    }
  }
  std::vector<real> nothing(6, 7);  // an empty sum
  const std::vector<real> bias{1, -2, 3};
  gemm({nullptr, 2, 0}, {nullptr, 0, 3}, {nothing.data(), false}, 1, 3, {bias.data(), true});
  CHECK(nothing == std::vector<real>{1, 0, 3, 1, 0, 3});
}

TEST_CASE("a product's bits do not depend on the number of threads") {
  const Threads as_before;
  for (const ProductCase& c : {ProductCase{700, 130, 300, false, false, false},
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
    "packed weights change no bits, and are found only by their own matrix and while in use") {
  const Threads as_before;
  for (const ProductCase& c : {ProductCase{700, 130, 300, false, false, false},
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

TEST_CASE("block_product() gives every number the same bits however the result is split") {
  const auto scale = static_cast<real>(0.3);  // no power of 2, so that scaling and adding round
  for (int bits = 0; bits < 8; bits += sanitized ? 3 : 1) {
    const Product product({145, 425, 600, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0});
    const std::vector<real> whole = product.by_block_product(scale);
    CAPTURE(bits);
    CHECK(product.by_block_product(scale, 37, 211) == whole);
    CHECK(product.by_block_product(scale, 1, 8) == whole);
    CHECK(product.by_block_product(scale, 48, 416) == whole);
  }
}

TEST_CASE(
    "kernels of OpenBLAS with an unknown name count as kernels for AVX-512 that do not cut "
    "exactly") {
  for (const char* name : {"Haswell", "Zen", "Sandybridge", "Prescott"}) {
    CHECK_FALSE(blas_kernels(name).fill_vectors);
    CHECK_FALSE(blas_kernels(name).cuts_are_exact);
  }
  CHECK(blas_kernels("SkylakeX").fill_vectors);
  CHECK(blas_kernels("SkylakeX").cuts_are_exact == (sizeof(real) == sizeof(float)));
  // A later OpenBLAS: its kernels are used, and blocks depend only on the shape.
  CHECK(blas_kernels("FutureLake").fill_vectors);
  CHECK_FALSE(blas_kernels("FutureLake").cuts_are_exact);
}
