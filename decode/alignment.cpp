#include "decode/alignment.h"

#include <algorithm>
#include <functional>

#include "core/tape.h"
#include "data/batches/pair_batch.h"
#include "data/tokenizers/vocabulary.h"

namespace calque {
namespace {

using Ids = std::vector<int32_t>;

// The weights of an attention, summed over its heads: a row for each target token.
struct SummedHeads {
  size_t targets, sources, heads;
  std::vector<real> sums;

  std::span<const real> row(size_t target) const {
    return std::span(sums).subspan(target * sources, sources);
  }
};

// weights: [heads, queries, keys]. The query after the last target, and among the keys those before
// the source and a final </s>, are left out.
SummedHeads summed_heads(const Tensor& weights, size_t targets, size_t before, size_t sources) {
  const auto keys = static_cast<size_t>(weights.shape()[2]);
  const size_t queries = targets + 1;
  SummedHeads summed{targets, sources, weights.span().size() / (keys * queries), {}};
  summed.sums.resize(targets * sources);
  for (size_t head = 0; head < summed.heads; ++head) {
    for (size_t t = 0; t < targets; ++t) {
      const auto from = weights.span().subspan((head * queries + t) * keys + before, sources);
      const auto to = std::span(summed.sums).subspan(t * sources, sources);
      std::ranges::transform(to, from, to.begin(), std::plus<>());
    }
  }
  return summed;
}

const std::string& aligning_attention(Translator model) {
  if (const RecurrentTranslator* recurrent = model.recurrent()) return recurrent->decoder.name;
  const auto& layers = model.transformer()->decoder.layers;
  return layers[std::max<int64_t>(0, std::ssize(layers) - 2)].cross_attention.name;
}

SummedHeads attend(Translator model, std::span<const int32_t> before, const Ids& source,
                   const Ids& target) {
  Ids given(before.begin(), before.end()), read, written = {begin_id};
  given.insert(given.end(), source.begin(), source.end());
  append_source(given, model.source_end(), read);
  written.insert(written.end(), target.begin(), target.end());
  const auto whole = [](const Ids& ids) {
    return Segments::of_lengths(std::vector{static_cast<int32_t>(ids.size())});
  };
  AttentionRecord record;
  const Tensor memory = model.encode(read, whole(read), Mode::evaluate);
  model.decode(written, whole(written), memory, whole(read), Mode::evaluate, &record);
  return summed_heads(record.at(aligning_attention(model)).sentences.front(), target.size(),
                      before.size(), source.size());
}

// use(SummedHeads) of each pair.
template <class Use>
auto for_pairs(Translator model, const std::vector<Ids>& sources, const std::vector<Ids>& targets,
               std::span<const int32_t> before, Use use) {
  require(sources.size() == targets.size(), "alignment: {} sources and {} targets", sources.size(),
          targets.size());
  if (model.recurrent() && model.recurrent()->decoder.score == ScoreKind::none) {
    fail("the model has no attention to align words with (model.attention_score: none)");
  }
  const NoGradient nothing_recorded;
  std::vector<decltype(use(SummedHeads()))> all;
  for (size_t i = 0; i < sources.size(); ++i) {
    all.push_back(use(attend(model, before, sources[i], targets[i])));
  }
  return all;
}

}  // namespace

std::vector<Ids> attended_source_tokens(Translator model, const std::vector<Ids>& sources,
                                        const std::vector<Ids>& targets,
                                        std::span<const int32_t> before) {
  return for_pairs(model, sources, targets, before, [](const SummedHeads& summed) {
    Ids indices;
    for (size_t t = 0; t < summed.targets && summed.sources > 0; ++t) {
      const auto row = summed.row(t);
      indices.push_back(static_cast<int32_t>(std::ranges::max_element(row) - row.begin()));
    }
    return indices;
  });
}

std::vector<ExplainedMatrix> attention_to_sources(Translator model, const std::vector<Ids>& sources,
                                                  const std::vector<Ids>& targets,
                                                  std::span<const int32_t> before) {
  return for_pairs(model, sources, targets, before, [](const SummedHeads& summed) {
    ExplainedMatrix mean{
        static_cast<int64_t>(summed.targets), static_cast<int64_t>(summed.sources), {}};
    for (const real sum : summed.sums) {
      mean.values.push_back(static_cast<float>(sum / static_cast<real>(summed.heads)));
    }
    return mean;
  });
}

}  // namespace calque
