// Edge cases: softmax and losses of huge scores, queries without keys, denormals.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "core/ops.h"
#include "core/rotation.h"
#include "core/threads/parallel.h"
#include "support/gradient_check.h"
#include "support/threads.h"

using namespace calque;

TEST_CASE("softmax and log-softmax are safe for any finite input") {
  const real big = std::numeric_limits<real>::max() / 4;
  const Tensor x = Tensor::of({2, 3}, {big, 0, -big, -big, -big, -big});
  const Tensor p = softmax(x);
  CHECK(p.span()[0] == 1);
  CHECK(p.span()[1] == 0);
  CHECK(p.span()[4] == doctest::Approx(1.0 / 3));
  const Tensor logs = log_softmax(x);
  CHECK(logs.span()[0] == 0);
  for (const real v : logs.span()) CHECK(std::isfinite(v));
}

TEST_CASE("a tensor of one number applies to every element") {
  const Tensor x = Tensor::of({2, 2}, {1, 2, 3, 4}), two = Tensor::of({1}, {2});
  const Tensor results[] = {x + two, x - two, x * two};
  for (int i = 0; i < 4; ++i) {
    const real value = x.span()[i];
    CHECK(results[0].span()[i] == value + 2);
    CHECK(results[1].span()[i] == value - 2);
    CHECK(results[2].span()[i] == value * 2);
  }
}

TEST_CASE("mix_rows() of two rows, the first and the last, equals hand-worked values") {
  const Tensor x = variable(Tensor::of({2, 2}, {1, 2, 3, 4}));
  const Tensor weights = variable(Tensor::of({1, 2}, {0.5, 0.25}));
  const Tape tape;
  const Tensor y = mix_rows(x, weights, std::vector<int32_t>{0, 1});
  CHECK(y.span()[0] == 1.25);
  CHECK(y.span()[1] == 2);
  backward(sum(y));
  CHECK(std::ranges::equal(x.gradient().span(), std::vector<real>{0.5, 0.5, 0.25, 0.25}));
  CHECK(std::ranges::equal(weights.gradient().span(), std::vector<real>{3, 7}));
}

TEST_CASE("the loss and gradients of a token of probability near 0 or 1 are finite") {
  const Tensor logits = variable(Tensor::of({2, 3}, {1e4f, 0, -1e4f, 1e4f, 0, -1e4f}));
  const Tape tape;
  const TokenLoss loss = cross_entropy(logits, std::vector<int32_t>{0, 2}, real(0.1));
  CHECK(loss.nll == doctest::Approx(2e4));
  CHECK(loss.correct == 1);
  backward(loss.loss);
  for (const real g : logits.gradient().span()) CHECK(std::isfinite(g));
}

TEST_CASE("log-softmax of large scores is precise, and so is attention's backward pass") {
  const real large = 1e6;
  CHECK(log_softmax(Tensor::of({1, 2}, {large, large})).span()[0] ==
        doctest::Approx(-std::log(2.0)));
  // One query, two keys with the same score of a million: each has half of the weight.
  const Segments one = Segments::of_lengths(std::vector<int32_t>{1});
  const Segments two = Segments::of_lengths(std::vector<int32_t>{2});
  const Tensor q = Tensor::of({1, 1}, {1000}), k = Tensor::of({2, 1}, {1000, 1000});
  const Tensor v = variable(Tensor::of({2, 1}, {1, 2}));
  const Tape tape;
  backward(attention(q, k, v, one, two, {.heads = 1}), Tensor::of({1, 1}, {1}));
  for (const real g : v.gradient().span()) CHECK(g == doctest::Approx(0.5).epsilon(1e-6));
}

TEST_CASE("a logit of -infinity for another token leaves the loss finite") {
  const real never = -std::numeric_limits<real>::infinity();
  const Tensor logits = variable(Tensor::of({1, 3}, {1, 2, never}));
  const Tape tape;
  const TokenLoss loss = cross_entropy(logits, std::vector<int32_t>{0}, 0);
  CHECK(loss.loss.item() == doctest::Approx(std::log(1 + std::exp(1.0))));
  backward(loss.loss);
  CHECK(logits.gradient().span()[2] == 0);
}

TEST_CASE("sums over a million rows are precise") {
  const int64_t rows = 1'000'000;
  const Tensor x = Tensor::full({rows, 2}, real(0.1)), b = variable(Tensor::zeros({2}));
  const double right = 0.1 * static_cast<double>(rows);
  CHECK(sum_of_rows(x).span()[1] == doctest::Approx(right).epsilon(1e-6));
  const Tape tape;
  backward(x + b, x);
  CHECK(b.gradient().span()[1] == doctest::Approx(right).epsilon(1e-6));
}

TEST_CASE("the gradients of a bias over a million rows are precise, in a product and in a norm") {
  const int64_t rows = 1'000'000;
  const double right = 0.1 * static_cast<double>(rows);
  const Tensor seed = Tensor::full({rows, 2}, real(0.1)), x = random_tensor({rows, 2}, 1);
  const Tensor of_product = variable(Tensor::zeros({2})), of_norm = variable(Tensor::zeros({2}));
  {
    const Tape tape;
    backward(linear(x, random_tensor({2, 2}, 2), of_product), seed);
  }
  const Tape tape;
  backward(layer_norm(x, Tensor::full({2}, 1), of_norm), seed);
  for (const Tensor& bias : {of_product, of_norm}) {
    CHECK(bias.gradient().span()[1] == doctest::Approx(right).epsilon(1e-6));
  }
}

TEST_CASE("attention over empty vectors returns empty vectors") {
  const Segments segments = Segments::of_lengths(std::vector<int32_t>{2, 1});
  const Tensor none = variable(Tensor({3, 0}));
  const Tape tape;
  const Tensor y = attention(none, none, none, segments, segments, {.heads = 1});
  CHECK(y.shape() == Shape{3, 0});
  backward(y, Tensor({3, 0}));
}

TEST_CASE("a cross-entropy with smoothing 0.2 equals a hand-worked value") {
  // p = (3/4, 1/4); q = (0.9, 0.1): loss = -0.9 ln(3/4) - 0.1 ln(1/4), gradient p - q.
  const Tensor logits = variable(Tensor::of({1, 2}, {std::log(real(3)), 0}));
  const Tape tape;
  const TokenLoss loss = cross_entropy(logits, std::vector<int32_t>{0}, real(0.2));
  backward(loss.loss);
  CHECK(loss.loss.item() == doctest::Approx(-0.9 * std::log(0.75) - 0.1 * std::log(0.25)));
  CHECK(loss.nll == doctest::Approx(-std::log(0.75)));
  CHECK(logits.gradient().span()[0] == doctest::Approx(-0.15));
  CHECK(logits.gradient().span()[1] == doctest::Approx(0.15));
}

TEST_CASE("a query without keys returns zeros and passes no gradient") {
  const Segments queries = Segments::of_lengths(std::vector<int32_t>{2, 1});
  const Segments keys = Segments::of_lengths(std::vector<int32_t>{0, 2});
  const Tensor q = variable(random_tensor({3, 8}, 1)), kv = variable(random_tensor({2, 16}, 2));
  const Tape tape;
  const Tensor y = cross_attention(q, kv, queries, keys, {.heads = 2});
  for (int64_t i = 0; i < 16; ++i) CHECK(y.span()[i] == 0);
  backward(y, random_tensor(y.shape(), 3));
  for (int64_t i = 0; i < 16; ++i) CHECK(q.gradient().span()[i] == 0);
  CHECK(q.gradient().span()[20] != 0);
  for (const real g : kv.gradient().span()) CHECK(std::isfinite(g));
}

TEST_CASE("causal attention with fewer keys than queries: the first queries see nothing") {
  const Segments queries = Segments::of_lengths(std::vector<int32_t>{3});
  const Segments keys = Segments::of_lengths(std::vector<int32_t>{1});
  const Tensor q = random_tensor({3, 4}, 1), kv = random_tensor({1, 8}, 2);
  const Tensor y = cross_attention(q, kv, queries, keys, {.heads = 1, .causal = true});
  for (int64_t i = 0; i < 8; ++i) CHECK(y.span()[i] == 0);
  for (int64_t i = 0; i < 4; ++i) CHECK(y.span()[8 + i] == kv.span()[4 + i]);
}

TEST_CASE("NaN stays NaN through relu, alone and after a product") {
  const real nan = std::numeric_limits<real>::quiet_NaN();
  CHECK(std::isnan(relu(Tensor::of({1}, {nan})).item()));
  const Tensor bias = Tensor::of({2}, {nan, -1});
  for (const int64_t rows : {1, 40}) {
    const Tensor y =
        linear(random_tensor({rows, 3}, 1), Tensor::zeros({3, 2}), bias, Activation::relu);
    CHECK(std::isnan(y.span()[0]));
    CHECK(y.span()[1] == 0);
  }
}

TEST_CASE("the slope of gelu is 0 or 1 far from 0, in both forms") {
  for (Tensor (*const op)(const Tensor&) : {gelu, gelu_tanh}) {
    const Tensor x = variable(Tensor::of(
        {6}, {real(-1e37), real(-1e30), real(-1e18), real(1e18), real(1e30), real(1e37)}));
    const Tape tape;
    backward(op(x), Tensor::full({6}, 1));
    const std::vector<real> expected{0, 0, 0, 1, 1, 1};
    for (size_t i = 0; i < 6; ++i) CHECK(x.gradient().span()[i] == expected[i]);
  }
}

TEST_CASE(
    "negative positions, and one tensor as queries and keys of different sentences, are refused") {
  const Tensor x = random_tensor({2, 4}, 1), v = random_tensor({2, 4}, 2);
  const Segments whole = Segments::of_lengths(std::vector<int32_t>{2, 0});
  const Segments halves = Segments::of_lengths(std::vector<int32_t>{1, 1});
  CHECK_THROWS_AS(rotary(x, whole, 0, 4, 4, Rotation().frequencies(4), std::vector<int32_t>{-1, 0}),
                  Misuse);
  CHECK_THROWS_AS(attention(x, x, v, whole, halves, {.heads = 1}), Misuse);
  CHECK_THROWS_AS(attention(x, v, x, whole, halves, {.heads = 1}), Misuse);
  CHECK(attention(x, x, x, halves, halves, {.heads = 1}).rows() == 2);
  const Tensor kv = x.reshaped({1, 8}), one = random_tensor({1, 8}, 3);
  const Segments single = Segments::of_lengths(std::vector<int32_t>{1, 0});
  CHECK_THROWS_AS(cross_attention(x, kv, halves, single, {.heads = 1}), Misuse);
  CHECK(cross_attention(x, one, halves, single, {.heads = 1}).rows() == 2);
}

TEST_CASE("layer norm and RMS norm equal hand-worked values") {
  const Tensor x = Tensor::of({1, 4}, {1, 3, 5, 7});  // mean 4, variance 5
  const Tensor one = Tensor::full({4}, 1), none = Tensor::zeros({4});
  CHECK(layer_norm(x, one, none, 0).span()[0] == doctest::Approx(-3 / std::sqrt(5.0)));
  CHECK(rms_norm(x, one, 0).span()[3] == doctest::Approx(7 / std::sqrt(21.0)));
}

#if defined(__SSE2__) || defined(__aarch64__)
TEST_CASE("every thread of a parallel loop flushes denormal results to zero") {
  const Threads scope(4);
  std::atomic<int> flushed = 0;
  parallel_for(4, 1, [&](int64_t, int64_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // so that each gets a chunk
    volatile float tiny = std::numeric_limits<float>::min();
    volatile float half = 0.5f;
    if (tiny * half == 0) ++flushed;
  });
  CHECK(flushed == 4);
}
#endif
