#include "train/tasks/sentence_embeddings.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/tokenizers/vocabulary.h"
#include "train/tasks/classes/evaluation.h"
#include "train/tasks/evaluation.h"

namespace calque {
namespace {

std::vector<real> unit_vector(const real* row, int64_t size) {
  std::vector<real> vector(row, row + size);
  double squares = 0;
  for (const real x : vector) squares += static_cast<double>(x) * static_cast<double>(x);
  const double norm = std::max(std::sqrt(squares), 1e-12);
  for (real& x : vector) x = static_cast<real>(static_cast<double>(x) / norm);
  return vector;
}

// What the model reads for a text.
Example sequence_of(const SentenceEncoder& encoder, const std::vector<int32_t>& text) {
  std::vector<int32_t> ids = {begin_id};
  ids.insert(ids.end(), text.begin(), text.begin() + std::min(std::ssize(text), encoder.longest()));
  if (!encoder.causal) ids.push_back(end_id);
  return {ids};
}

Tensor means_of_texts(const SentenceEncoder& encoder, const PackedExamples& packed) {
  const Segments& all = packed.segments;
  const Tensor states = encoder.states(packed.columns[0], all);
  if (!encoder.causal) return mean_of_segments(states, all);
  std::vector<int32_t> rows;
  Segments texts;
  for (int64_t i = 0; i < all.count(); ++i) {
    const int32_t first = all.begin(i) + (all.length(i) > 1 ? 1 : 0);
    for (int32_t row = first; row < all.end(i); ++row) rows.push_back(row);
    texts.append(all.end(i) - first);
  }
  return mean_of_segments(gather_rows(states, rows), texts);
}

}  // namespace

int64_t SentenceEncoder::longest() const {
  return std::max<int64_t>(0, context - (causal ? 1 : 2));
}

SentenceEncoder sentence_encoder(std::shared_ptr<const Encoder> encoder, int64_t vocabulary,
                                 int64_t context,
                                 std::function<std::vector<int32_t>(const std::string&)> tokenize) {
  const int64_t width = encoder->options.layer.d_model;
  return {
      .states =
          [encoder = std::move(encoder)](std::span<const int32_t> ids, const Segments& segments) {
            const std::vector<int32_t> kinds(ids.size());
            return (*encoder)(ids, kinds, segments, Mode::evaluate);
          },
      .tokenize = std::move(tokenize),
      .width = width,
      .vocabulary = vocabulary,
      .context = context};
}

std::vector<std::vector<real>> sentence_embeddings(const SentenceEncoder& encoder,
                                                   std::span<const std::vector<int32_t>> texts) {
  std::vector<Example> sequences;
  for (const std::vector<int32_t>& text : texts) sequences.push_back(sequence_of(encoder, text));
  BatchShare whole;
  auto batches = evaluate_in_order(
      example_set(sequences), {.tokens = class_batch_tokens}, whole,
      [&](const ExampleBatch& batch) {
        const Tensor means = means_of_texts(encoder, pack(batch.examples));
        std::vector<std::vector<real>> vectors;
        for (int64_t i = 0; i < means.rows(); ++i) {
          vectors.push_back(unit_vector(means.data() + i * means.cols(), means.cols()));
        }
        return vectors;
      });
  return joined_batches(std::move(batches));
}

}  // namespace calque
