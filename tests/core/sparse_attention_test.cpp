// Sparse attention: which keys a query sees, and the fused kernel beside dense attention with a
// mask.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "compositions.h"
#include "core/profile.h"

using namespace calque;

namespace {

using Keys = std::vector<int64_t>;

Keys keys_of(const std::vector<KeyRange>& ranges) {
  Keys keys;
  for (const KeyRange& range : ranges) {
    for (int64_t j = range.begin; j < range.end; j += range.step) keys.push_back(j);
  }
  std::ranges::sort(keys);
  return keys;
}

Segments segments_of(std::vector<int32_t> lengths) { return Segments::of_lengths(lengths); }

// Dense attention in which a score is -1e9 where keys_seen() has no key.
Tensor masked_attention(const Tensor& qkv, const Segments& segments,
                        const AttentionOptions& options) {
  std::vector<Tensor> sentences;
  const int64_t d = qkv.cols() / 3, size = d / options.heads;
  for (int64_t s = 0; s < segments.count(); ++s) {
    const int64_t n = segments.length(s);
    const Tensor mask = Tensor::full({n, n}, real(-1e9));
    for (int64_t i = 0; i < n; ++i) {
      for (const int64_t j : keys_of(keys_seen(options.sparsity, i, n, options.causal))) {
        mask.data()[i * n + j] = 0;
      }
    }
    const Tensor rows = slice_rows(qkv, segments.begin(s), segments.end(s));
    std::vector<Tensor> heads;
    for (int64_t h = 0; h < options.heads; ++h) {
      const auto part = [&](int64_t at) {
        return slice_cols(rows, at * d + h * size, at * d + (h + 1) * size);
      };
      const real scale = 1 / std::sqrt(static_cast<real>(size));
      const Tensor scores = matmul(part(0), part(1), Transpose::right) * scale + mask;
      heads.push_back(matmul(softmax(scores), part(2)));
    }
    sentences.push_back(concat_cols(heads));
  }
  return concat_rows(sentences);
}

const Sparsity examples[] = {
    {.window = 1},
    {.window = 70},
    {.window = 300},
    {.window = 5, .dilation = 3},
    {.window = 90, .dilation = 2, .global = 1},
    {.window = 40, .global = 3},
    {.window = 10, .global = 70, .random = 2},
    {.window = 20, .global = 1, .random = 3, .block = 16, .layer = 1},
};

std::string name_of(const Sparsity& s) {
  return fmt::format("window {} by {}, {} global, {} random of {}", s.window, s.dilation, s.global,
                     s.random, s.block);
}

}  // namespace

TEST_CASE("a query sees its window, the global tokens and itself") {
  const Sparsity plain{.window = 2};
  CHECK(keys_of(keys_seen(plain, 0, 9, false)) == Keys{0, 1, 2});
  CHECK(keys_of(keys_seen(plain, 5, 9, false)) == Keys{3, 4, 5, 6, 7});
  CHECK(keys_of(keys_seen(plain, 5, 9, true)) == Keys{3, 4, 5});
  const Sparsity global{.window = 1, .global = 2};
  CHECK(keys_of(keys_seen(global, 1, 6, false)) == Keys{0, 1, 2, 3, 4, 5});
  CHECK(keys_of(keys_seen(global, 1, 6, true)) == Keys{0, 1});
  CHECK(keys_of(keys_seen(global, 2, 6, false)) == Keys{0, 1, 2, 3});
  CHECK(keys_of(keys_seen(global, 4, 6, true)) == Keys{0, 1, 3, 4});
  const Sparsity dilated{.window = 2, .dilation = 3, .dilated_from = 1};
  CHECK(keys_of(keys_seen(dilated.at_layer(1), 7, 20, false)) == Keys{1, 4, 7, 10, 13});
  CHECK(keys_of(keys_seen(dilated.at_layer(0), 7, 20, false)) == Keys{5, 6, 7, 8, 9});
}

TEST_CASE("random blocks are whole, distinct, outside window and global tokens, and seeded") {
  const Sparsity sparsity{.window = 10, .global = 3, .random = 2, .block = 8};
  const int64_t n = 203;
  std::set<int64_t> drawn;
  for (const bool causal : {false, true}) {
    for (int64_t i = 3; i < n; ++i) {
      const std::vector<KeyRange> ranges = random_ranges(sparsity, i, n, causal);
      CHECK(ranges == random_ranges(sparsity, 3 + (i - 3) / 8 * 8, n, causal));
      const int64_t blocks_before = std::max<int64_t>(0, (i - 3) / 8 * 8 - 10) / 8;
      CHECK(std::ssize(ranges) == (causal ? std::min<int64_t>(2, blocks_before) : 2));
      for (const KeyRange& range : ranges) {
        CHECK((range.begin - 3) % 8 == 0);
        CHECK(range.count() == 8);
        if (causal) CHECK(range.end <= i);
        drawn.insert(range.begin);
      }
      const Keys keys = keys_of(keys_seen(sparsity, i, n, causal));
      CHECK(std::ranges::adjacent_find(keys) == keys.end());
    }
  }
  CHECK(drawn.size() > 20);
  const auto all = [&](const Sparsity& other) {
    std::vector<KeyRange> ranges;
    for (int64_t i = 3; i < n; i += 8) {
      for (const KeyRange& range : random_ranges(other, i, n, false)) ranges.push_back(range);
    }
    return ranges;
  };
  Sparsity other = sparsity;
  other.seed = 2;
  CHECK(all(other) != all(sparsity));
  CHECK(all(sparsity.at_layer(1)) != all(sparsity));
}

TEST_CASE("the keys that a causal query sees do not depend on later tokens") {
  for (const Sparsity& sparsity : examples) {
    CAPTURE(name_of(sparsity));
    for (int64_t i = 0; i < 400; i += 7) {
      CHECK(keys_of(keys_seen(sparsity, i, i + 1, true)) ==
            keys_of(keys_seen(sparsity, i, 400, true)));
    }
  }
}

TEST_CASE("pairs_seen() is the total number of keys that the queries of a sentence see") {
  for (const Sparsity& sparsity : examples) {
    for (const bool causal : {false, true}) {
      for (const int64_t n : {0, 1, 2, 65, 200, 331}) {
        CAPTURE(name_of(sparsity));
        size_t pairs = 0;
        for (int64_t i = 0; i < n; ++i) pairs += keys_of(keys_seen(sparsity, i, n, causal)).size();
        CHECK(pairs_seen(sparsity, n, causal) == static_cast<double>(pairs));
      }
    }
  }
}

TEST_CASE("sparse attention in packed batches is dense attention with a mask") {
  const Segments segments = segments_of({130, 0, 1, 331, 12});
  for (const Sparsity& sparsity : examples) {
    for (const bool causal : {false, true}) {
      for (const int64_t size : {5, 32}) {
        CAPTURE(name_of(sparsity));
        CAPTURE(causal);
        const AttentionOptions options{.heads = 2, .causal = causal, .sparsity = sparsity};
        const std::vector<Tensor> inputs = random_tensors({{segments.tokens(), 6 * size}});
        const Outcome fused = value_and_gradients(
            [&](Inputs t) { return self_attention(t[0], segments, options); }, inputs);
        const Outcome plain = value_and_gradients(
            [&](Inputs t) { return masked_attention(t[0], segments, options); }, inputs);
        CHECK(relative_error(fused, plain) < rounding_error);
      }
    }
  }
}

TEST_CASE("where the window covers all keys, sparse attention has the bits of dense attention") {
  const Segments segments = segments_of({130, 0, 1, 331, 12});
  const std::vector<Tensor> inputs = random_tensors({{segments.tokens(), 48}});
  const auto same = [](const Tensor& a, const Tensor& b) {
    return std::memcmp(a.data(), b.data(), a.span().size_bytes()) == 0;
  };
  for (const bool causal : {false, true}) {
    const auto outcome = [&](const Sparsity& sparsity) {
      const AttentionOptions options{2, causal, real(0.2), sparsity};
      return value_and_gradients([&](Inputs t) { return self_attention(t[0], segments, options); },
                                 inputs);
    };
    const Outcome dense = outcome({}), covered = outcome({.window = 330, .global = 1}),
                  uncovered = outcome({.window = 300, .global = 1});
    CHECK(same(dense.value, covered.value));
    CHECK(same(dense.gradients[0], covered.gradients[0]));
    CHECK(!same(dense.value, uncovered.value));
  }
}

TEST_CASE("the recorded weights of sparse attention are 0 where a query sees no key") {
  const Segments segments = segments_of({30});
  const Sparsity sparsity{.window = 2, .dilation = 2, .global = 1, .random = 1, .block = 4};
  const Tensor q = random_tensor({30, 8}, 1), k = random_tensor({30, 8}, 2);
  const auto weights =
      attention_weights(q, k, segments, segments, {.heads = 2, .sparsity = sparsity});
  for (int64_t i = 0; i < 30; ++i) {
    Keys positive;
    real total = 0;
    for (int64_t j = 0; j < 30; ++j) {
      const real weight = weights[0].data()[i * 30 + j];
      if (weight > 0) positive.push_back(j);
      total += weight;
    }
    CHECK(positive == keys_of(keys_seen(sparsity, i, 30, false)));
    CHECK(total == doctest::Approx(1));
  }
}

TEST_CASE("sparse attention counts the pairs of queries and the keys that they see") {
  const Segments segments = segments_of({1000});
  const Tensor qkv = random_tensor({1000, 24}, 1);
  const auto flops = [&](const Sparsity& sparsity) {
    const double before = counted_flops();
    self_attention(qkv, segments, {.heads = 2, .sparsity = sparsity});
    return counted_flops() - before;
  };
  // The first token sees all and all see it; the sentence cuts the window at both of its ends.
  const double pairs = 1000 + 999 + 999 * 21 - 2 * (10 * 11 / 2);
  CHECK(flops({.window = 10, .global = 1}) == 4 * 8 * pairs);
  CHECK(flops({.window = 1}) == 4 * 8 * (1000 * 3 - 2));
}

TEST_CASE("of full_every layers the last sees all keys") {
  const Sparsity sparsity{.window = 3, .full_every = 3};
  for (int64_t layer = 0; layer < 7; ++layer) {
    CHECK(sparsity.at_layer(layer).window == (layer % 3 == 2 ? 0 : 3));
  }
}

TEST_CASE("sparse attention between different sentences is refused") {
  const Tensor q = random_tensor({5, 8}, 1), kv = random_tensor({6, 16}, 2);
  CHECK_THROWS_AS(cross_attention(q, kv, segments_of({5}), segments_of({6}),
                                  {.heads = 2, .sparsity = {.window = 1}}),
                  Misuse);
}
