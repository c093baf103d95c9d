#include "decode/alignment.h"

#include <algorithm>

#include "core/tape.h"
#include "data/batches/pair_batch.h"
#include "data/tokenizers/vocabulary.h"

namespace calque {
namespace {

using Ids = std::vector<int32_t>;

// weights: [heads, queries, keys]. For each target token, the index of the source token with the
// largest sum of weights over the heads. A final </s> among the keys is left out.
std::vector<int32_t> strongest_sources(const Tensor& weights, size_t targets, size_t sources) {
  const auto keys = static_cast<size_t>(weights.shape()[2]);
  const size_t queries = targets + 1;
  const size_t heads = weights.span().size() / (keys * queries);
  std::vector<int32_t> indices;
  for (size_t t = 0; t < targets && sources > 0; ++t) {
    std::vector<real> total(sources);
    for (size_t head = 0; head < heads; ++head) {
      const auto row = weights.span().subspan((head * queries + t) * keys, sources);
      std::ranges::transform(total, row, total.begin(), std::plus<>());
    }
    indices.push_back(static_cast<int32_t>(std::ranges::max_element(total) - total.begin()));
  }
  return indices;
}

const std::string& aligning_attention(Translator model) {
  if (const RecurrentTranslator* recurrent = model.recurrent()) return recurrent->decoder.name;
  const auto& layers = model.transformer()->decoder.layers;
  return layers[std::max<int64_t>(0, std::ssize(layers) - 2)].cross_attention.name;
}

std::vector<int32_t> align_pair(Translator model, const Ids& source, const Ids& target) {
  Ids read, written = {begin_id};
  append_source(source, model.source_end(), read);
  written.insert(written.end(), target.begin(), target.end());
  const auto whole = [](const Ids& ids) {
    return Segments::of_lengths(std::vector{static_cast<int32_t>(ids.size())});
  };
  AttentionRecord record;
  const Tensor memory = model.encode(read, whole(read), Mode::evaluate);
  model.decode(written, whole(written), memory, whole(read), Mode::evaluate, &record);
  return strongest_sources(record.at(aligning_attention(model)).sentences.front(), target.size(),
                           source.size());
}

}  // namespace

std::vector<std::vector<int32_t>> attended_source_tokens(Translator model,
                                                         const std::vector<Ids>& sources,
                                                         const std::vector<Ids>& targets) {
  require(sources.size() == targets.size(), "attended_source_tokens: {} sources and {} targets",
          sources.size(), targets.size());
  if (model.recurrent() && model.recurrent()->decoder.score == ScoreKind::none) {
    fail("the model has no attention to align words with (model.attention_score: none)");
  }
  const NoGradient nothing_recorded;
  std::vector<std::vector<int32_t>> indices;
  for (size_t i = 0; i < sources.size(); ++i) {
    indices.push_back(align_pair(model, sources[i], targets[i]));
  }
  return indices;
}

}  // namespace calque
