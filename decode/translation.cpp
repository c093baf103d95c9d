#include "decode/translation.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "data/batches/pair_batch.h"
#include "decode/models/parts.h"

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

// Ranks samples like the hypotheses of a beam; of samples with equal scores the shorter comes
// first.
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
          "translation_items: {} sources need a number each", sources.size());
  require(!options.prefixes || options.prefixes->size() == sources.size(),
          "translation_items: {} sources need a prefix each", sources.size());
  require(!options.required || options.required->size() == sources.size(),
          "translation_items: {} sources need an element of required each", sources.size());
  std::vector<DecodingItem> items;
  for (size_t i = 0; i < sources.size(); ++i) {
    const int64_t length = std::ssize(sources[i]), longest = longest_translation(options, length);
    DecodingItem item{.shortest = std::clamp(share_of(length, options.min_length_ratio),
                                             options.min_length, longest),
                      .longest = longest,
                      .number = std::ssize(items),
                      .expected = expected_length(options, length),
                      .input = length};
    if (options.prefixes) item.prefix = (*options.prefixes)[i];
    if (options.required) item.required = (*options.required)[i];
    if (options.numbers) item.number = (*options.numbers)[i];
    const bool is_free =
        item.prefix.empty() && !item.required && !options.sampling && !options.trace;
    if (options.shortlist && is_free) item.outputs = options.shortlist->of(sources[i]);
    items.push_back(std::move(item));
  }
  return items;
}

std::vector<int32_t> packed_sources(const Sources& sources, std::span<const size_t> items,
                                    bool source_end, Segments& segments) {
  std::vector<int32_t> ids;
  for (const size_t item : items) {
    segments.append(append_source(sources[item], source_end, ids));
  }
  return ids;
}

DecodingModel translation_model(Translator model, const Sources& sources) {
  return model.recurrent() ? recurrent_translation_model(*model.recurrent(), sources)
                           : cached_translation_model(*model.transformer(), sources);
}

std::vector<std::vector<Hypothesis>> translate(std::span<const Translator> models,
                                               const Sources& sources,
                                               const TranslationOptions& asked,
                                               const std::function<void(int64_t)>& done) {
  TranslationOptions options = asked;
  if (models.size() > 1) options.shortlist = nullptr;
  const std::vector<DecodingItem> items = translation_items(sources, options);
  std::vector<DecodingModel> decoding;
  for (const Translator& model : models) decoding.push_back(translation_model(model, sources));
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
