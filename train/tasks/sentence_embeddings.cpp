#include "train/tasks/sentence_embeddings.h"

#include <algorithm>
#include <cmath>

#include "core/tape.h"
#include "data/tokenizers/vocabulary.h"
#include "train/tasks/classification/work.h"
#include "train/tasks/masked_lm/filling.h"

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

std::variant<MaskedLmRun, ClassificationRun> open_run(const std::string& place) {
  if (find_run(place).config.task == TaskKind::classification) {
    return open_classification_run(place);
  }
  return open_masked_lm_run(place);
}

}  // namespace

std::vector<std::vector<real>> sentence_embeddings(const Encoder& encoder,
                                                   const std::vector<EncodedText>& texts) {
  const NoGradient nothing_recorded;
  std::vector<std::vector<real>> all;
  for_each_batch(texts, [&](const PackedTexts& batch) {
    const Tensor hidden = encoder(batch.ids, batch.kinds, batch.segments, Mode::evaluate);
    const Tensor means = mean_of_segments(hidden, batch.segments);
    for (int64_t i = 0; i < means.rows(); ++i) {
      all.push_back(unit_vector(means.data() + i * means.cols(), means.cols()));
    }
  });
  return all;
}

SentenceEncoder::SentenceEncoder(const std::string& place) : run_(open_run(place)) {}

const Encoder& SentenceEncoder::encoder() const {
  return std::visit([](const auto& run) -> const Encoder& { return run.model().encoder; }, run_);
}

EncodedText SentenceEncoder::encode(const std::string& text) const {
  if (const auto* classifier = std::get_if<ClassificationRun>(&run_)) {
    return encode_texts({text}, classifier->tokenizer, classifier->config.data.context);
  }
  const auto& masked = std::get<MaskedLmRun>(run_);
  EncodedText encoded{.ids = encode_masked_text(masked.tokenizer, text), .kinds = {}};
  const auto context = static_cast<size_t>(std::max<int64_t>(2, masked.config.data.context));
  if (encoded.ids.size() > context) {
    encoded.ids.resize(context);
    encoded.ids.back() = end_id;
  }
  encoded.kinds.resize(encoded.ids.size());
  return encoded;
}

}  // namespace calque
