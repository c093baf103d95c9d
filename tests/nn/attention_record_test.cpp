// The recorded attention weights of a forward pass, and a decoder that runs the layers token by
// token with caches, as translation does.

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "core/error.h"
#include "nn/small_model.h"

using namespace calque;

namespace {

struct DecoderCache {
  Tensor memory_kv, keys = {}, values = {};
};

Tensor appended(const Tensor& cache, const Tensor& row) {
  if (!cache) return row;
  const Tensor parts[] = {cache, row};
  return concat_rows(parts);
}

// Runs one more token of a sentence through a layer, with both attentions over the cache.
Tensor step(const DecoderLayer& layer, const Tensor& x, DecoderCache& cache, int32_t position) {
  const int64_t d = layer.self_attention.query_columns(), kd = layer.self_attention.key_columns();
  const auto of_length = [](int64_t length) {
    return Segments::of_lengths(std::vector<int32_t>{static_cast<int32_t>(length)});
  };
  const Segments one = of_length(1);
  const Tensor back = layer.self_attention_residual(x, Mode::evaluate, [&](const Tensor& h) {
    const Tensor qkv = layer.self_attention.project(h, one, std::vector<int32_t>{position});
    cache.keys = appended(cache.keys, slice_cols(qkv, d, d + kd));
    cache.values = appended(cache.values, slice_cols(qkv, d + kd, d + 2 * kd));
    return layer.self_attention.output(
        attention(slice_cols(qkv, 0, d), cache.keys, cache.values, one, of_length(position + 1),
                  layer.self_attention.attention_options(Mode::evaluate)));
  });
  const Tensor across = layer.cross_attention_residual(back, Mode::evaluate, [&](const Tensor& h) {
    return layer.cross_attention.output(cross_attention(
        layer.cross_attention.project(h), cache.memory_kv, one, of_length(cache.memory_kv.rows()),
        layer.cross_attention.attention_options(Mode::evaluate)));
  });
  return layer.feed_forward_residual(across, Mode::evaluate, [&](const Tensor& h) {
    return layer.feed_forward(h, Mode::evaluate);
  });
}

}  // namespace

TEST_CASE("every attention of a pass records its weights under its name") {
  for (const Variant& variant : variants()) {
    CAPTURE(variant.name);
    const SmallModel model(variant.options);
    const SmallBatch batch = random_batch(variant.options, {{3, 4}, {0, 2}, {5, 1}});
    AttentionRecord record;
    const Tape tape;  // the weights must not be recorded on it
    const Tensor memory =
        model.transformer.encode(batch.source, batch.source_segments, Mode::evaluate, &record);
    model.transformer.decode(batch.decoder_input, batch.target_segments, memory,
                             batch.source_segments, Mode::evaluate, &record);
    REQUIRE(record.entries.size() == 6);
    CHECK(record.entries[0].name == "encoder.layers.0.self_attention");
    CHECK(record.entries[5].name == "decoder.layers.1.cross_attention");
    const int64_t heads = variant.options.layer.heads;
    const auto& cross = record.at("decoder.layers.0.cross_attention").sentences;
    CHECK(cross.at(0).shape() == Shape{heads, 4, 3});
    CHECK(cross.at(1).shape() == Shape{heads, 2, 0});
    CHECK(cross.at(2).shape() == Shape{heads, 1, 5});
    CHECK(record.at("encoder.layers.1.self_attention").sentences.at(2).shape() ==
          Shape{heads, 5, 5});
    CHECK_THROWS_AS(record.at("decoder.layers.2.cross_attention"), Misuse);
  }
}

TEST_CASE("recorded weights of a query sum to 1, and are 0 for later tokens in the decoder") {
  const SmallModel model(small_options());
  const SmallBatch batch = random_batch(small_options(), {{3, 4}, {5, 6}});
  AttentionRecord record;
  const Tensor memory =
      model.transformer.encode(batch.source, batch.source_segments, Mode::evaluate, &record);
  model.transformer.decode(batch.decoder_input, batch.target_segments, memory,
                           batch.source_segments, Mode::evaluate, &record);
  for (const AttentionRecord::Entry& entry : record.entries) {
    for (const Tensor& weights : entry.sentences) {
      const Tensor sums = sum_in_rows(weights);
      for (const real sum : sums.span()) CHECK(double(sum) == doctest::Approx(1).epsilon(1e-5));
    }
  }
  const Tensor& causal = record.at("decoder.layers.1.self_attention").sentences.at(1);
  for (int64_t h = 0; h < 2; ++h) {
    for (int64_t q = 0; q < 6; ++q) {
      for (int64_t k = q + 1; k < 6; ++k) CHECK(causal.data()[(h * 6 + q) * 6 + k] == 0);
    }
  }
}

TEST_CASE("recording the weights changes no bit of the result") {
  const SmallModel model(small_options());
  const SmallBatch batch = random_batch(small_options(), {{3, 4}, {5, 6}});
  AttentionRecord record;
  const auto encode = [&](AttentionRecord* to) {
    return model.transformer.encode(batch.source, batch.source_segments, Mode::evaluate, to);
  };
  CHECK(std::ranges::equal(encode(nullptr).span(), encode(&record).span()));
}

TEST_CASE(
    "the layers run token by token over caches give the hidden vectors of the whole sentence") {
  for (const Variant& variant : variants()) {
    if (variant.options.layer.attention.window > 0) continue;  // reads only a part of its cache
    CAPTURE(variant.name);
    const SmallModel model(variant.options);
    const Transformer& transformer = model.transformer;
    const SmallBatch batch = random_batch(variant.options, {{4, 6}});
    const Tensor whole = hidden_of(transformer, batch);

    const Tensor memory = transformer.encode(batch.source, batch.source_segments, Mode::evaluate);
    std::vector<DecoderCache> caches;
    for (const DecoderLayer& layer : transformer.decoder.layers) {
      caches.push_back({.memory_kv = layer.cross_attention.project_memory(memory)});
    }
    const Segments one = Segments::of_lengths(std::vector<int32_t>{1});
    Tensor rows;
    for (int32_t t = 0; t < 6; ++t) {
      Tensor x = transformer.target_positions(
          transformer.target_embedding(std::span(batch.decoder_input).subspan(t, 1)), one,
          std::vector<int32_t>{t});
      for (size_t i = 0; i < caches.size(); ++i) {
        x = step(transformer.decoder.layers[i], x, caches[i], t);
      }
      if (transformer.decoder.norm) x = (*transformer.decoder.norm)(x);
      rows = appended(rows, x);
    }
    CHECK(relative_difference(rows.span(), whole.span()) < 1e-5);
  }
}
