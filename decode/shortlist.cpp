#include "decode/shortlist.h"

#include <algorithm>
#include <utility>

#include "data/tokenizers/vocabulary.h"

namespace calque {
namespace {

using Counted = std::pair<double, int32_t>;  // a target token

// The best `count` tokens; of equal ones those with the lowest ids.
std::vector<int32_t> best(std::vector<Counted> all, int64_t count) {
  std::ranges::sort(all, [](const Counted& a, const Counted& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  all.resize(std::min(all.size(), static_cast<size_t>(count)));
  std::vector<int32_t> ids;
  for (const Counted& each : all) ids.push_back(each.second);
  return ids;
}

std::vector<int32_t> most_frequent(std::span<const AlignedIds> pairs, int64_t count) {
  std::vector<Counted> counts;
  for (const AlignedIds& pair : pairs) {
    for (const int32_t id : pair.target) {
      for (auto next = static_cast<int32_t>(counts.size()); next <= id; ++next) {
        counts.emplace_back(0, next);
      }
      ++counts[id].first;
    }
  }
  std::erase_if(counts, [](const Counted& each) { return each.first == 0; });
  return best(std::move(counts), count);
}

void sort_once(std::vector<int32_t>& ids) {
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
}

}  // namespace

Shortlist::Shortlist(std::vector<int32_t> always, std::vector<std::vector<int32_t>> of_tokens)
    : always_(std::move(always)), of_tokens_(std::move(of_tokens)) {
  for (int32_t id = 0; id < special_ids; ++id) always_.push_back(id);
  sort_once(always_);
}

Shortlist Shortlist::learn(std::span<const AlignedIds> pairs, int32_t source_vocabulary,
                           const ShortlistOptions& options) {
  const WordTranslations translations(pairs);
  std::vector<std::vector<Counted>> candidates(source_vocabulary);
  translations.for_each([&](int32_t source, int32_t target, double probability) {
    if (probability >= options.probability) candidates[source].emplace_back(probability, target);
  });
  std::vector<std::vector<int32_t>> of_tokens;
  for (std::vector<Counted>& each : candidates) {
    of_tokens.push_back(best(std::move(each), options.per_token));
  }
  return {most_frequent(pairs, options.frequent), std::move(of_tokens)};
}

std::vector<int32_t> Shortlist::of(std::span<const int32_t> source) const {
  std::vector<int32_t> ids = always_;
  for (const int32_t token : source) {
    if (token < 0 || token >= std::ssize(of_tokens_)) continue;
    ids.insert(ids.end(), of_tokens_[token].begin(), of_tokens_[token].end());
  }
  sort_once(ids);
  return ids;
}

}  // namespace calque
