// Attention beside a composition of small ops: the same value and the same gradients.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "compositions.h"

using namespace calque;

namespace {

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
                {{queries.tokens(), d}, {seen.tokens(), d}, {seen.tokens(), d}}) < rounding_error);
      }
    }
  }
}

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
              {{74, 30}, {74, 10}, {74, 10}}) < rounding_error);
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
                   {{9, 6}, {9, 6}, {9, 6}}) < rounding_error);
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
                   {{13, 24}}) < rounding_error);
  CHECK(difference(
            [&](Inputs t) { return cross_attention(t[0], t[1], s, s, options); },
            [&](Inputs t) { return attention(t[0], cut(t[1], 0), cut(t[1], 1), s, s, options); },
            {{13, 8}, {13, 16}}) < rounding_error);
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
