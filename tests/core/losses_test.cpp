// Losses beside compositions of small ops: the same value and the same gradients.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "compositions.h"

using namespace calque;

TEST_CASE("negative sampling is the log sigmoid of products with the candidates' rows") {
  const std::vector<int32_t> candidates = {3, 0, 1, 8, 8, 3, 0, 5, 2, 6, 6, 6};
  const Tensor signs = Tensor::of({12, 1}, {1, -1, -1, 1, -1, -1, 1, -1, -1, 1, -1, -1});
  const auto plain = [&](Inputs t) {
    const Tensor rows = gather_rows(t[0], std::vector<int32_t>{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3});
    const Tensor z = sum_in_rows(rows * embedding(t[1], candidates)) * signs;
    return -sum(log(sigmoid(z)));
  };
  const auto fused = [&](Inputs t) { return negative_sampling(t[0], t[1], candidates).loss; };
  for (const int64_t d : {3, 16, 33})
    CHECK(difference(fused, plain, {{4, d}, {9, d}}) < rounding_error);
}

TEST_CASE("the loss, nll and correct rows of negative sampling equal hand-worked values") {
  const Tensor x = Tensor::of({2, 1}, {1, 2}), w = Tensor::of({3, 1}, {0, 1, -1});
  const TokenLoss loss = negative_sampling(x, w, std::vector<int32_t>{1, 2, 0, 0, 1, 2});
  // Row 0: s = 1, -1, 0. Row 1: s = 0, 2, -2.
  const auto minus_log_sigmoid = [](double z) { return std::log1p(std::exp(-z)); };
  const double first = 2 * minus_log_sigmoid(1) + std::log(2.0);
  const double second = std::log(2.0) + minus_log_sigmoid(-2) + minus_log_sigmoid(2);
  CHECK(double(loss.loss.item()) == doctest::Approx(first + second));
  CHECK(loss.nll == doctest::Approx(minus_log_sigmoid(1) + std::log(2.0)));
  CHECK(loss.correct == 1);
  CHECK(loss.tokens == 2);
  CHECK(negative_sampling(x, w, std::vector<int32_t>{1, 1, 1, 1}).correct == 0);
  CHECK(negative_sampling(Tensor::zeros({0, 1}), w, {}).loss.item() == 0);
}

TEST_CASE("negative sampling of products of any size has a finite loss and finite gradients") {
  const Tensor x = variable(Tensor::of({2, 1}, {1000, -1000}));
  const Tensor w = variable(Tensor::of({2, 1}, {1, -1}));
  const Tape tape;
  const TokenLoss loss = negative_sampling(x, w, std::vector<int32_t>{0, 1, 0, 1});
  CHECK(loss.loss.item() == doctest::Approx(2000));
  backward(loss.loss);
  CHECK(x.gradient().span()[0] == doctest::Approx(0));
  CHECK(x.gradient().span()[1] == doctest::Approx(-2));
  CHECK(w.gradient().span()[0] == doctest::Approx(1000));
}

TEST_CASE("projection with cross-entropy is a product and a cross-entropy") {
  std::vector<int32_t> expected;
  for (int32_t i = 0; i < 700; ++i) expected.push_back(i * 37 % 3001);
  for (const real smoothing : {real(0), real(0.1)}) {
    CHECK(difference(
              [&](Inputs t) {
                return projected_cross_entropy(t[0], t[1], t[2], expected, smoothing).loss;
              },
              [&](Inputs t) {
                return cross_entropy(matmul(t[0], t[1], Transpose::right) + t[2], expected,
                                     smoothing)
                    .loss;
              },
              {{700, 16}, {3001, 16}, {3001}}) < rounding_error);
  }
}

TEST_CASE("a cap of the logits is a tanh before the cross-entropy") {
  std::vector<int32_t> expected;
  for (int32_t i = 0; i < 700; ++i) expected.push_back(i * 37 % 3001);
  const real smoothing = real(0.1), cap = 2;
  const auto capped = [&](const Tensor& x, Inputs t, size_t w) {
    return tanh((matmul(x, t[w], Transpose::right) + t[w + 1]) * (1 / cap)) * cap;
  };
  const std::vector<Shape> shapes = {{700, 16}, {3001, 16}, {3001}};
  CHECK(difference(
            [&](Inputs t) {
              return projected_cross_entropy(t[0], t[1], t[2], expected, smoothing, cap).loss;
            },
            [&](Inputs t) { return cross_entropy(capped(t[0], t, 1), expected, smoothing).loss; },
            shapes) < rounding_error);
  CHECK(difference(
            [&](Inputs t) { return projected_log_probabilities(t[0], t[1], t[2], expected, cap); },
            [&](Inputs t) { return pick_cols(log_softmax(capped(t[0], t, 1)), expected); },
            shapes) < rounding_error);
  CHECK(
      difference(
          [&](Inputs t) {
            return agreeing_cross_entropy(t[0], t[1], t[2], t[3], expected, smoothing, 0, cap).loss;
          },
          [&](Inputs t) {
            return (cross_entropy(capped(t[0], t, 2), expected, smoothing).loss +
                    cross_entropy(capped(t[1], t, 2), expected, smoothing).loss) *
                   real(0.5);
          },
          {{700, 16}, {700, 16}, {3001, 16}, {3001}}) < rounding_error);
}

TEST_CASE(
    "log-probabilities with a gradient are a product, a log-softmax and a choice of columns") {
  std::vector<int32_t> expected;
  for (int32_t i = 0; i < 700; ++i) expected.push_back(i * 37 % 3001);
  CHECK(difference(
            [&](Inputs t) { return projected_log_probabilities(t[0], t[1], t[2], expected); },
            [&](Inputs t) {
              return pick_cols(log_softmax(matmul(t[0], t[1], Transpose::right) + t[2]), expected);
            },
            {{700, 16}, {3001, 16}, {3001}}) < rounding_error);
}

TEST_CASE("the loss of two passes is the mean of both plus agreement / 4 times both divergences") {
  std::vector<int32_t> expected;
  for (int32_t i = 0; i < 700; ++i) expected.push_back(i * 37 % 3001);
  const real smoothing = real(0.1), agreement = 3;
  const auto plain = [&](Inputs t) {
    const Tensor x = matmul(t[0], t[2], Transpose::right) + t[3];
    const Tensor y = matmul(t[1], t[2], Transpose::right) + t[3];
    const Tensor losses =
        cross_entropy(x, expected, smoothing).loss + cross_entropy(y, expected, smoothing).loss;
    const Tensor log_p = log_softmax(x), log_q = log_softmax(y);
    const Tensor divergences = sum((exp(log_p) - exp(log_q)) * (log_p - log_q));
    return losses * real(0.5) + divergences * (agreement / 4);
  };
  const std::vector<Shape> shapes = {{700, 16}, {700, 16}, {3001, 16}, {3001}};
  CHECK(difference(
            [&](Inputs t) {
              return agreeing_cross_entropy(t[0], t[1], t[2], t[3], expected, smoothing, agreement)
                  .loss;
            },
            plain, shapes) < rounding_error);

  // Two equal passes have the loss of one.
  const Tensor x = random_tensor({700, 16}, 1), w = random_tensor({3001, 16}, 2);
  const TokenLoss one = projected_cross_entropy(x, w, {}, expected, smoothing);
  const TokenLoss two = agreeing_cross_entropy(x, x, w, {}, expected, smoothing, agreement);
  CHECK(two.loss.item() == doctest::Approx(one.loss.item()).epsilon(1e-6));
  CHECK(two.nll == doctest::Approx(one.nll).epsilon(1e-6));
  CHECK(two.correct == one.correct);
  CHECK(two.tokens == 700);
}

TEST_CASE("distillation is a part of the cross-entropy and a part of the divergence") {
  std::vector<int32_t> expected;
  for (int32_t i = 0; i < 700; ++i) expected.push_back(i * 37 % 3001);
  const real smoothing = real(0.1);
  const std::vector<Tensor> teacher = random_tensors({{700, 11}, {3001, 11}, {3001}});
  const auto logits_of = [](Inputs t, real cap) {
    const Tensor z = matmul(t[0], t[1], Transpose::right) + t[2];
    return cap > 0 ? tanh(z * (1 / cap)) * cap : z;
  };
  for (const real cap : {real(0), real(2)}) {
    const Tensor log_q = log_softmax(logits_of(teacher, 2 * cap));
    for (const real share : {real(0), real(0.3), real(1)}) {
      CAPTURE(share);
      const auto plain = [&](Inputs t) {
        const Tensor x = logits_of(t, cap);
        return cross_entropy(x, expected, smoothing).loss * (1 - share) +
               sum(exp(log_q) * (log_q - log_softmax(x))) * share;
      };
      const auto fused = [&](Inputs t) {
        return distilled_cross_entropy(t[0], t[1], t[2], teacher[0], teacher[1], teacher[2],
                                       expected, smoothing, share, cap, 2 * cap)
            .loss;
      };
      CHECK(difference(fused, plain, {{700, 16}, {3001, 16}, {3001}}) < rounding_error);
    }
  }
}

TEST_CASE("a token that teacher and model exclude adds nothing to the loss of distillation") {
  const Tensor x = random_tensor({5, 4}, 1), w = random_tensor({9, 4}, 2);
  const Tensor bias = Tensor::zeros({9});
  const std::vector<int32_t> expected = {0, 1, 2, 3, 4};
  bias.data()[7] = -std::numeric_limits<real>::infinity();
  const TokenLoss same = distilled_cross_entropy(x, w, bias, x, w, bias, expected, 0, real(1));
  CHECK(same.loss.item() == doctest::Approx(0).epsilon(1e-6));
  CHECK(same.nll ==
        doctest::Approx(projected_cross_entropy(x, w, bias, expected, 0).nll).epsilon(1e-6));
  CHECK(same.tokens == 5);
}

TEST_CASE("cross-entropy is minus the expected log-probability under the smoothed target") {
  const std::vector<int32_t> expected = {2, 0, 4};
  const real e = real(0.1);
  const Tensor q = Tensor::full({3, 5}, e / 5);
  for (int64_t i = 0; i < 3; ++i) q.data()[i * 5 + expected[i]] += 1 - e;
  CHECK(difference([&](Inputs t) { return cross_entropy(t[0], expected, e).loss; },
                   [&](Inputs t) { return -sum(log_softmax(t[0]) * q); },
                   {{3, 5}}) < rounding_error);
}
