#include "data/placeholders/kept_batch.h"

#include <algorithm>
#include <iterator>

#include "core/error.h"

namespace calque {

KeptBatch::KeptBatch(const std::vector<std::string>& sentences, const PlaceholderKinds& kinds)
    : sentences_(sentences.size()), inputs_(sentences) {
  for (size_t i = 0; i < sentences_; ++i) {
    KeptText text(sentences[i], kinds);
    if (!text.has_placeholders()) continue;
    size_t masked = i;
    if (text.is_readable()) {
      masked = inputs_.size();
      inputs_.push_back(text.masked());
    } else {
      inputs_[i] = text.masked();
    }
    const size_t segments = inputs_.size();
    std::ranges::move(text.segments(), std::back_inserter(inputs_));
    kept_.push_back({i, std::move(text), masked, segments});
  }
}

std::vector<std::vector<std::string>> KeptBatch::chosen(
    const std::vector<std::vector<std::string>>& found) const {
  require(found.size() == inputs_.size(), "KeptBatch: {} translations of {} inputs", found.size(),
          inputs_.size());
  std::vector<std::vector<std::string>> all(found.begin(), found.begin() + sentences_);
  for (const Kept& kept : kept_) {
    std::vector<std::string> segments;
    for (size_t i = 0; i < kept.text.segments().size(); ++i) {
      segments.push_back(found[kept.segments + i].front());
    }
    const std::vector<std::string>& masked = found[kept.masked];
    std::vector<std::string>& own = all[kept.sentence];
    for (size_t k = 0; k < own.size(); ++k) {
      if (kept.text.accepts(own[k])) continue;
      const auto whole = kept.text.unmasked(masked[std::min(k, masked.size() - 1)]);
      own[k] = whole ? *whole : kept.text.joined(segments);
    }
  }
  return all;
}

}  // namespace calque
