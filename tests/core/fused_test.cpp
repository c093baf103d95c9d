// Each fused op against a plain composition of small ops: the same value and the same gradients.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "support/gradient_check.h"

using namespace calque;

namespace {

#ifdef CALQUE_DOUBLE
constexpr double tolerance = 1e-10;
#else
constexpr double tolerance = 1e-5;
#endif

using Inputs = const std::vector<Tensor>&;

double difference(const Function& fused, const Function& plain, const std::vector<Shape>& shapes) {
  const std::vector<Tensor> inputs = random_tensors(shapes);
  return relative_error(value_and_gradients(fused, inputs), value_and_gradients(plain, inputs));
}

Tensor plain_norm(const Tensor& x, const Tensor& gain, const Tensor& bias) {
  const Tensor centred = x - mean_in_rows(x);
  return centred / sqrt(mean_in_rows(square(centred)) + real(1e-5)) * gain + bias;
}

// One sentence and head at a time, with a mask of -1e9 on keys that a query does not see.
Tensor plain_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Segments& queries,
                       const Segments& keys, const AttentionOptions& options) {
  std::vector<Tensor> sentences;
  const int64_t size = q.cols() / options.heads;
  for (int64_t s = 0; s < queries.count(); ++s) {
    std::vector<Tensor> heads;
    const int64_t n = queries.length(s), m = keys.length(s);
    for (int64_t h = 0; h < options.heads; ++h) {
      const auto part = [&](const Tensor& x, const Segments& where) {
        return slice_cols(slice_rows(x, where.begin(s), where.end(s)), h * size, (h + 1) * size);
      };
      Tensor mask = Tensor::zeros({n, m});
      for (int64_t i = 0; options.causal && i < n; ++i) {
        for (int64_t j = i + 1 + m - n; j < m; ++j) mask.data()[i * m + j] = real(-1e9);
      }
      const real scale = 1 / std::sqrt(static_cast<real>(size));
      const Tensor scores =
          matmul(part(q, queries), part(k, keys), Transpose::right) * scale + mask;
      heads.push_back(matmul(softmax(scores), part(v, keys)));
    }
    sentences.push_back(concat_cols(heads));
  }
  return concat_rows(sentences);
}

}  // namespace

TEST_CASE("linear with bias and activation is a product, a sum and a function") {
  const std::vector<Shape> shapes = {{37, 20}, {20, 33}, {33}};
  const auto check = [&](Activation activation, Tensor (*function)(const Tensor&)) {
    CHECK(difference([=](Inputs t) { return linear(t[0], t[1], t[2], activation); },
                     [=](Inputs t) { return function(matmul(t[0], t[1]) + t[2]); },
                     shapes) < tolerance);
  };
  check(Activation::relu, relu);
  check(Activation::gelu, gelu);
  check(Activation::gelu_tanh, gelu_tanh);
  check(Activation::silu, silu);
}

TEST_CASE("linear with a gated activation is a product, a sum, and the activation of one half") {
  const auto check = [&](Activation gated, Tensor (*gate)(const Tensor&)) {
    const auto composed = [=](Inputs t) {
      const Tensor z = matmul(t[0], t[1]) + t[2];
      return gate(slice_cols(z, 0, 17)) * slice_cols(z, 17, 34);
    };
    CHECK(difference([=](Inputs t) { return linear(t[0], t[1], t[2], gated); }, composed,
                     {{37, 20}, {20, 34}, {34}}) < tolerance);
  };
  check(Activation::swiglu, silu);
  check(Activation::geglu, gelu);
  check(Activation::geglu_tanh, gelu_tanh);
}

TEST_CASE("on a tape, no two queries of attend_once may share a key") {
  const Tensor x = variable(random_tensors({{8, 3}})[0]);
  const Tensor q = slice_rows(x, 0, 3);
  const auto attend = [&](const std::vector<KeyRows>& ranges) {
    return attend_once(q, x, x, {}, ranges);
  };
  const std::vector<KeyRows> apart = {{5, 8}, {0, 5}, {3, 3}}, shared = {{5, 8}, {0, 6}, {3, 3}};
  attend(shared);
  const Tape tape;
  attend(apart);
  CHECK_THROWS_WITH_AS(attend(shared), "attend_once: keys [0, 6) and [5, 8) overlap on a tape",
                       Misuse);
  const NoGradient none;
  attend(shared);
}

TEST_CASE("a residual with norm is a sum and a norm") {
  for (const int64_t cols : {5, 16, 100, 1500}) {
    CHECK(difference([](Inputs t) { return residual_norm(t[0], t[1], 0, t[2], t[3]); },
                     [](Inputs t) { return plain_norm(t[0] + t[1], t[2], t[3]); },
                     {{40, cols}, {40, cols}, {cols}, {cols}}) < tolerance);
  }
}

TEST_CASE(
    "a norm has right gradients for any gain, and keeps its normalized input for a tiny gain") {
  const int64_t rows = 40, cols = 100;
  const auto used_with = [&](real first_gain) {
    std::vector<Tensor> inputs = random_tensors({{rows, cols}, {cols}, {cols}});
    for (real& gain : inputs[1].span()) gain = 1 + gain / 10;
    inputs[1].data()[3] = first_gain;
    const Function fused = [](Inputs t) { return layer_norm(t[0], t[1], t[2]); };
    const Function plain = [](Inputs t) { return plain_norm(t[0], t[1], t[2]); };
    CHECK(relative_error(value_and_gradients(fused, inputs), value_and_gradients(plain, inputs)) <
          tolerance);
    const Tape tape;
    const Tensor x = variable(inputs[0]);
    const int64_t before = memory_statistics().used;
    const Tensor out = layer_norm(x, inputs[1], inputs[2]);
    return memory_statistics().used - before;
  };
  constexpr auto matrix = static_cast<int64_t>(rows * cols * sizeof(real));
  CHECK(used_with(1) < matrix * 3 / 2);
  CHECK(used_with(-1) < matrix * 3 / 2);
  CHECK(used_with(0) > matrix * 2);
  CHECK(used_with(real(1e-12)) > matrix * 2);
}

TEST_CASE("a residual drops the same elements as dropout()") {
  CHECK(difference([](Inputs t) { return residual(t[0], t[1], real(0.3)); },
                   [](Inputs t) { return t[0] + dropout(t[1], real(0.3)); },
                   {{40, 130}, {40, 130}}) < tolerance);
  CHECK(difference([](Inputs t) { return residual_norm(t[0], t[1], real(0.3), t[2], t[3]); },
                   [](Inputs t) { return layer_norm(t[0] + dropout(t[1], real(0.3)), t[2], t[3]); },
                   {{40, 130}, {40, 130}, {130}, {130}}) < tolerance);
}

TEST_CASE("packed attention is softmax(q k^T / sqrt(d)) v of each sentence and head") {
  const Segments queries = Segments::of_lengths(std::vector<int32_t>{3, 1, 70, 300});
  const Segments keys = Segments::of_lengths(std::vector<int32_t>{5, 1, 90, 290});
  for (const int64_t heads : {1, 3}) {
    for (const int64_t size : {5, 16, 40}) {
      for (const bool causal : {false, true}) {
        const int64_t d = heads * size;
        const AttentionOptions options{.heads = heads, .causal = causal};
        const Segments& seen = causal ? queries : keys;
        CAPTURE(heads);
        CAPTURE(size);
        CAPTURE(causal);
        CHECK(
            difference(
                [&](Inputs t) { return attention(t[0], t[1], t[2], queries, seen, options); },
                [&](Inputs t) { return plain_attention(t[0], t[1], t[2], queries, seen, options); },
                {{queries.tokens(), d}, {seen.tokens(), d}, {seen.tokens(), d}}) < tolerance);
      }
    }
  }
}

// The result is linear in the values, so <result, seed> = <values, their gradient> if both passes
// drop the same weights.
TEST_CASE("attention drops the same weights forward and backward, also over several blocks") {
  for (const bool causal : {false, true}) {
    for (const auto& [queries, keys] : {std::pair{3, 5}, {70, 300}, {300, 70}, {130, 600}}) {
      CAPTURE(causal);
      CAPTURE(queries);
      const auto segments = [](int32_t first, int32_t second) {
        return Segments::of_lengths(std::vector<int32_t>{first, second});
      };
      const Segments of_queries = segments(queries, 2), of_keys = segments(keys, 9);
      const Tensor q = random_tensor({of_queries.tokens(), 6}, 1);
      const Tensor k = random_tensor({of_keys.tokens(), 6}, 2);
      const Tensor v = variable(random_tensor({of_keys.tokens(), 6}, 3));
      const Tensor seed = random_tensor({of_queries.tokens(), 6}, 4);
      const Tape tape({.seed = 5, .step = 1});
      const Tensor y = attention(q, k, v, of_queries, of_keys, {2, causal, real(0.3)});
      const auto dot = [](std::span<const real> a, std::span<const real> b) {
        return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
      };
      const double forward = dot(y.span(), seed.span());
      backward(y, seed);
      CHECK(dot(v.span(), v.gradient().span()) == doctest::Approx(forward).epsilon(1e-4));
    }
  }
}

TEST_CASE("attention drops each weight with the given probability and keeps their mean") {
  const Segments queries = Segments::of_lengths(std::vector<int32_t>{100}),
                 keys = Segments::of_lengths(std::vector<int32_t>{400});
  const Tensor ones = Tensor::full({400, 2}, 1);
  const Tape tape({.seed = 5, .step = 1});
  const Tensor y =
      attention(Tensor::zeros({100, 2}), ones, ones, queries, keys, {2, false, real(0.25)});
  // Each output is a mean of 400 weights of 0 or 4/3, with the deviation sqrt(1/3 / 400).
  double mean = 0, deviation = 0;
  for (const real each : y.span()) mean += each / 200, deviation += (each - 1) * (each - 1) / 200;
  CHECK(mean == doctest::Approx(1).epsilon(0.01));
  CHECK(std::sqrt(deviation) == doctest::Approx(std::sqrt(1 / 1200.0)).epsilon(0.2));
}

TEST_CASE("heads of queries that share keys and values attend to copies of them") {
  const Segments s = Segments::of_lengths(std::vector<int32_t>{4, 0, 70});
  const auto copied = [](const Tensor& x) {  // heads a, b -> a, a, a, b, b, b
    const Tensor a = slice_cols(x, 0, 5), b = slice_cols(x, 5, 10);
    return concat_cols(std::array{a, a, a, b, b, b});
  };
  for (const real dropped : {real(0), real(0.3)}) {
    const AttentionOptions full{.heads = 6, .causal = true, .dropout = dropped};
    AttentionOptions grouped = full;
    grouped.key_heads = 2;
    CHECK(difference(
              [&](Inputs t) { return attention(t[0], t[1], t[2], s, s, grouped); },
              [&](Inputs t) { return attention(t[0], copied(t[1]), copied(t[2]), s, s, full); },
              {{74, 30}, {74, 10}, {74, 10}}) < tolerance);
  }
}

TEST_CASE("capped and scaled scores give the softmax of cap tanh(scale q k / cap)") {
  const Segments s = Segments::of_lengths(std::vector<int32_t>{9});
  const AttentionOptions options{.heads = 1, .scale = real(0.9), .cap = real(1.2)};
  const auto composed = [](Inputs t) {
    const Tensor scores = matmul(t[0], t[1], Transpose::right) * real(0.9 / 1.2);
    return matmul(softmax(tanh(scores) * real(1.2)), t[2]);
  };
  CHECK(difference([&](Inputs t) { return attention(t[0], t[1], t[2], s, s, options); }, composed,
                   {{9, 6}, {9, 6}, {9, 6}}) < tolerance);
}

TEST_CASE("self- and cross-attention read queries, keys and values from adjacent columns") {
  const Segments s = Segments::of_lengths(std::vector<int32_t>{4, 9});
  const AttentionOptions options{.heads = 2, .causal = true};
  const auto cut = [](const Tensor& x, int64_t part) {
    return slice_cols(x, part * 8, (part + 1) * 8);
  };
  CHECK(difference([&](Inputs t) { return self_attention(t[0], s, options); },
                   [&](Inputs t) {
                     return attention(cut(t[0], 0), cut(t[0], 1), cut(t[0], 2), s, s, options);
                   },
                   {{13, 24}}) < tolerance);
  CHECK(difference(
            [&](Inputs t) { return cross_attention(t[0], t[1], s, s, options); },
            [&](Inputs t) { return attention(t[0], cut(t[1], 0), cut(t[1], 1), s, s, options); },
            {{13, 8}, {13, 16}}) < tolerance);
}

TEST_CASE("negative sampling is the log sigmoid of products with the candidates' rows") {
  const std::vector<int32_t> candidates = {3, 0, 1, 8, 8, 3, 0, 5, 2, 6, 6, 6};
  const Tensor signs = Tensor::of({12, 1}, {1, -1, -1, 1, -1, -1, 1, -1, -1, 1, -1, -1});
  const auto plain = [&](Inputs t) {
    const Tensor rows = gather_rows(t[0], std::vector<int32_t>{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3});
    const Tensor z = sum_in_rows(rows * embedding(t[1], candidates)) * signs;
    return -sum(log(sigmoid(z)));
  };
  const auto fused = [&](Inputs t) { return negative_sampling(t[0], t[1], candidates).loss; };
  for (const int64_t d : {3, 16, 33}) CHECK(difference(fused, plain, {{4, d}, {9, d}}) < tolerance);
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

TEST_CASE("the mean of segments is a product with the matrix of shares") {
  const Segments segments = Segments::of_lengths(std::vector<int32_t>{2, 0, 1, 4});
  const Tensor shares = Tensor::zeros({4, 7});
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t t = segments.begin(i); t < segments.end(i); ++t) {
      shares.data()[i * 7 + t] = 1 / static_cast<real>(segments.length(i));
    }
  }
  CHECK(difference([&](Inputs t) { return mean_of_segments(t[0], segments); },
                   [&](Inputs t) { return matmul(shares, t[0]); }, {{7, 19}}) < tolerance);
}

TEST_CASE("attention weights are the softmax of scaled scores, and 0 for later tokens if causal") {
  const Segments s = Segments::of_lengths(std::vector<int32_t>{3, 0, 5});
  const Tensor q = random_tensor({8, 8}, 1), k = random_tensor({8, 8}, 2);
  const auto weights = attention_weights(q, k, s, s, {.heads = 2, .causal = true});
  REQUIRE(weights.size() == 3);
  CHECK(weights[2].shape() == Shape{2, 5, 5});
  const auto exp_score = [&](int64_t head, int64_t i, int64_t j) {  // the sentence begins at row 3
    const real* query = q.data() + (3 + i) * 8 + head * 4;
    const real* key = k.data() + (3 + j) * 8 + head * 4;
    return std::exp(std::inner_product(query, query + 4, key, 0.0) / 2);  // 2: sqrt(4)
  };
  for (int64_t row = 0; row < 10; ++row) {
    const int64_t head = row / 5, i = row % 5;
    double total = 0;
    for (int64_t j = 0; j <= i; ++j) total += exp_score(head, i, j);
    for (int64_t j = 0; j < 5; ++j) {
      const double expected = j <= i ? exp_score(head, i, j) / total : 0;
      CHECK(weights[2].span()[row * 5 + j] == doctest::Approx(expected).epsilon(1e-5));
      if (j > i) CHECK(weights[2].span()[row * 5 + j] == 0);
    }
  }
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
              {{700, 16}, {3001, 16}, {3001}}) < tolerance);
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
            shapes) < tolerance);
  CHECK(difference(
            [&](Inputs t) { return projected_log_probabilities(t[0], t[1], t[2], expected, cap); },
            [&](Inputs t) { return pick_cols(log_softmax(capped(t[0], t, 1)), expected); },
            shapes) < tolerance);
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
          {{700, 16}, {700, 16}, {3001, 16}, {3001}}) < tolerance);
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
            {{700, 16}, {3001, 16}, {3001}}) < tolerance);
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
            plain, shapes) < tolerance);

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
      CHECK(difference(fused, plain, {{700, 16}, {3001, 16}, {3001}}) < tolerance);
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
                   [&](Inputs t) { return -sum(log_softmax(t[0]) * q); }, {{3, 5}}) < tolerance);
}
