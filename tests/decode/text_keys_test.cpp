// Keys and values that texts share: the same bits as those that each text computes for itself.
#include "decode/models/text_keys.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/int8_weights.h"
#include "core/products/few_rows.h"
#include "core/tape.h"
#include "decode/models/prefix_cache.h"
#include "nn/small_language_model.h"

namespace calque {
namespace {

using Ids = std::vector<int32_t>;

std::vector<LanguageModelVariant> long_variants() {
  std::vector<LanguageModelVariant> all = language_model_variants();
  for (LanguageModelVariant& each : all) each.options.layer.max_positions = 300;
  all.push_back(all.front());
  all.back().name = "window";
  all.back().options.layer.positions = PositionKind::rotary;
  all.back().options.layer.attention = {.window = 5, .full_every = 2};
  return all;
}

Ids some_ids(int64_t count, uint64_t seed) {
  return random_text(small_language_model_options(), {static_cast<int32_t>(count)}, seed).ids;
}

// The states of tokens that follow a text, which is read in blocks as a prompt is.
Tensor read_on(const LanguageModel& model, TextKeys& text, std::span<const int32_t> ids) {
  Tensor states;
  while (!ids.empty()) {
    const auto block = ids.first(std::min<size_t>(ids.size(), KeyBlock::capacity));
    const TokensToRead read{&text, block};
    states = read_tokens(model, {&read, 1});
    ids = ids.subspan(block.size());
  }
  return states;
}

bool same_bits(const Tensor& a, const Tensor& b) { return std::ranges::equal(a.span(), b.span()); }

}  // namespace

TEST_CASE("read block by block, a text has the states of the full pass") {
  for (const LanguageModelVariant& variant : long_variants()) {
    CAPTURE(variant.name);
    const SmallLanguageModel small(variant.options);
    const Ids ids = some_ids(150, 3);
    const NoGradient nothing_recorded;
    const Tensor all =
        small.model.hidden(ids, Segments::of_lengths(std::vector{150}), Mode::evaluate);
    TextKeys text;
    const Tensor last = read_on(small.model, text, ids);
    CHECK(text.size() == 150);
    const Tensor expected = slice_rows(all, 150 - last.rows(), 150);
    for (int64_t i = 0; i < last.size(); ++i) {
      CHECK(double(last.data()[i]) == doctest::Approx(double(expected.data()[i])).epsilon(1e-4));
    }
  }
}

TEST_CASE("a token has the same bits alone and beside tokens of other texts, also in int8") {
  for (size_t number = 0; number < 2 * long_variants().size(); ++number) {
    const LanguageModelVariant variant = long_variants()[number / 2];
    CAPTURE(variant.name);
    SmallLanguageModel small(variant.options);
    if (number % 2 == 1 && sizeof(real) == sizeof(float)) round_weights_to_int8(small.parameters);
    const auto count = static_cast<size_t>(most_few_rows());
    std::vector<TextKeys> alone(count), together(count);
    for (size_t i = 0; i < count; ++i) {
      const Ids prompt = some_ids(10 + 23 * static_cast<int64_t>(i), i);
      read_on(small.model, alone[i], prompt);
      read_on(small.model, together[i], prompt);
    }
    for (int step = 0; step < 3; ++step) {
      const Ids ids = some_ids(static_cast<int64_t>(count), 50 + static_cast<uint64_t>(step));
      std::vector<TokensToRead> rows;
      for (size_t i = 0; i < count; ++i) rows.push_back({&together[i], {&ids[i], 1}});
      const Tensor states = small.model.logits(read_tokens(small.model, rows));
      for (size_t i = 0; i < count; ++i) {
        const TokensToRead row{&alone[i], {&ids[i], 1}};
        const Tensor own = small.model.logits(read_tokens(small.model, {&row, 1}));
        const auto at = static_cast<int64_t>(i);
        CHECK(same_bits(own, slice_rows(states, at, at + 1)));
      }
    }
  }
}

TEST_CASE("a text that begins with kept blocks has the bits of one that is read from its start") {
  for (const LanguageModelVariant& variant : long_variants()) {
    CAPTURE(variant.name);
    const SmallLanguageModel small(variant.options);
    Ids first = some_ids(200, 1), second = first;
    const Ids other = some_ids(60, 2);
    std::copy(other.begin(), other.end(), second.begin() + 140);
    PrefixCache cache(1 << 30);
    TextKeys read;
    read_on(small.model, read, first);
    for (int64_t end = KeyBlock::capacity; end <= 200; end += KeyBlock::capacity) {
      cache.keep(std::span(first).first(static_cast<size_t>(end)),
                 read.full_block(end - KeyBlock::capacity));
    }
    TextKeys found = cache.find(second), anew;
    REQUIRE(found.size() == 2 * KeyBlock::capacity);
    const Tensor with = read_on(small.model, found, std::span(second).subspan(128));
    CHECK(same_bits(with, read_on(small.model, anew, second)));
  }
}

TEST_CASE("texts that part write to blocks of their own") {
  const SmallLanguageModel small(long_variants().back().options);
  const Ids prompt = some_ids(20, 1), a = some_ids(3, 2), b = some_ids(3, 3);
  TextKeys one, alone;
  read_on(small.model, one, prompt);
  TextKeys other = one.fork();
  read_on(small.model, other, b);
  const Tensor states = read_on(small.model, one, a);
  read_on(small.model, alone, prompt);
  CHECK(same_bits(states, read_on(small.model, alone, a)));
}

TEST_CASE("the blocks that were used longest ago are dropped, later blocks of a text first") {
  const SmallLanguageModel small(long_variants().front().options);
  const Ids a = some_ids(128, 1), b = some_ids(128, 2);
  const KeyBlock any(small.model);
  PrefixCache cache(3 * any.bytes());
  const auto keep = [&](const Ids& ids, size_t blocks) {
    cache.keep(std::span(ids).first(blocks * KeyBlock::capacity),
               std::make_shared<KeyBlock>(small.model));
  };
  const auto kept = [&](const Ids& ids) { return cache.find(ids).size() / KeyBlock::capacity; };
  keep(a, 2);  // without the first block
  CHECK(kept(a) == 0);
  keep(a, 1);
  keep(a, 2);
  keep(a, 2);  // again
  keep(b, 1);
  CHECK(cache.counts().bytes == 3 * any.bytes());
  CHECK(kept(a) == 2);
  keep(b, 2);  // b has been used longest ago
  CHECK(cache.counts().bytes == 3 * any.bytes());
  CHECK(kept(b) == 2);
  CHECK(kept(a) == 1);
  PrefixCache none(0);
  none.keep(std::span(a).first(KeyBlock::capacity), std::make_shared<KeyBlock>(small.model));
  CHECK(none.find(a).size() == 0);
  CHECK(none.counts().bytes == 0);
}

}  // namespace calque
