#include "decode/translation.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "decode/cached_decoder.h"

namespace calque {
namespace {

using Sources = std::vector<std::vector<int32_t>>;

int64_t share_of(int64_t length, double ratio) {
  return static_cast<int64_t>(std::ceil(ratio * static_cast<double>(length)));
}

int64_t longest_translation(const TranslationOptions& options, int64_t source_length) {
  int64_t longest = share_of(source_length, options.max_length_ratio) + options.max_length_extra;
  if (options.max_length > 0) {
    longest = longest > 0 ? std::min(longest, options.max_length) : options.max_length;
  }
  return std::max({int64_t{1}, options.min_length, longest});
}

// A translation is expected to be as long as its source.
int64_t expected_length(const TranslationOptions& options, int64_t source_length) {
  const int64_t length = std::max(source_length, options.min_length);
  return options.max_length > 0 ? std::min(length, options.max_length) : length;
}

std::unique_ptr<StepDecoder> start(const Transformer& model, const Sources& sources,
                                   std::span<const size_t> items) {
  std::vector<int32_t> ids;
  Segments segments;
  for (const size_t item : items) {
    const std::vector<int32_t>& source = sources[item];
    ids.insert(ids.end(), source.begin(), source.end());
    ids.push_back(end_id);
    segments.append(static_cast<int32_t>(source.size()) + 1);
  }
  return std::make_unique<CachedDecoder>(model, ids, segments);
}

// Samples compete as the hypotheses of a beam do; of equal scores the first that ended comes first.
void rank(std::vector<Hypothesis>& samples, const SearchOptions& options) {
  for (Hypothesis& sample : samples) {
    const int64_t length = std::ssize(sample.ids) + (sample.finished ? 1 : 0);
    sample.score = hypothesis_score(options, sample.log_probability, std::max<int64_t>(1, length));
  }
  std::ranges::stable_sort(samples, [](const Hypothesis& a, const Hypothesis& b) {
    return a.score != b.score ? a.score > b.score : a.ids.size() < b.ids.size();
  });
}

}  // namespace

std::vector<DecodingItem> translation_items(const Sources& sources,
                                            const TranslationOptions& options) {
  require(!options.numbers || options.numbers->size() == sources.size(),
          "translation_items: not a number for each of {} sources", sources.size());
  require(!options.prefixes || options.prefixes->size() == sources.size(),
          "translation_items: not a prefix for each of {} sources", sources.size());
  std::vector<DecodingItem> items;
  for (size_t i = 0; i < sources.size(); ++i) {
    const int64_t length = std::ssize(sources[i]);
    DecodingItem& item = items.emplace_back();
    if (options.prefixes) item.prefix = (*options.prefixes)[i];
    item.longest = longest_translation(options, length);
    item.shortest =
        std::clamp(share_of(length, options.min_length_ratio), options.min_length, item.longest);
    item.number = options.numbers ? (*options.numbers)[i] : static_cast<int64_t>(i);
    item.expected = expected_length(options, length);
    item.input = length;
  }
  return items;
}

DecodingModel translation_model(const Transformer& model, const Sources& sources) {
  DecodingModel decoding;
  decoding.start = [&](std::span<const size_t> items) { return start(model, sources, items); };
  decoding.vocabulary = model.options.target_vocabulary;
  if (model.options.layer.positions == PositionKind::learned) {
    decoding.positions.assign(sources.size(), model.options.layer.max_positions);
  }
  decoding.right_sides = CachedDecoder::right_sides(model);
  return decoding;
}

std::vector<std::vector<Hypothesis>> translate(std::span<const Transformer* const> models,
                                               const Sources& sources,
                                               const TranslationOptions& options,
                                               const std::function<void(int64_t)>& done) {
  const std::vector<DecodingItem> items = translation_items(sources, options);
  std::vector<DecodingModel> decoding;
  for (const Transformer* model : models) decoding.push_back(translation_model(*model, sources));
  if (!options.sampling) return search(decoding, items, options, done);
  const SamplingOptions drawing{.sampling = *options.sampling,
                                .rules = options,
                                .samples = options.n_best,
                                .batch_tokens = options.batch_tokens};
  auto samples = sample(decoding, items, drawing, done);
  for (std::vector<Hypothesis>& each : samples) rank(each, options);
  return samples;
}

}  // namespace calque
