#include "train/tasks/translation/work.h"

#include <utility>

namespace calque {

TranslationWork::TranslationWork(Translator model, const TrainingConfig& training, PairBatch batch,
                                 std::vector<int64_t> lines, std::shared_ptr<const Dataset> dataset)
    : model_(model),
      training_(training),
      batch_(std::move(batch)),
      lines_(std::move(lines)),
      dataset_(std::move(dataset)) {}

SummedLoss TranslationWork::forward() const {
  const TokenLoss loss =
      model_.loss(batch_.source, batch_.source_segments, batch_.decoder_input, batch_.expected,
                  batch_.target_segments, static_cast<real>(training_.label_smoothing), Mode::train,
                  static_cast<real>(training_.r_drop));
  return summed(loss);
}

WorkSize TranslationWork::size() const {
  return {batch_.pairs(), std::ssize(batch_.source) + std::ssize(batch_.expected)};
}

std::string TranslationWork::where() const { return dataset_ ? dataset_->where(lines_) : ""; }

std::vector<int64_t> chunk_begins(const Segments& targets, int64_t chunks) {
  const int64_t share = (targets.tokens() + chunks - 1) / chunks;
  const int64_t most = chunks > 1 ? share + share / 16 : share;
  std::vector<int64_t> begins = {0};
  int64_t current = 0, tokens = 0;
  for (int64_t i = 0; i < targets.count(); ++i) {
    const int64_t length = targets.length(i), middle = targets.begin(i) + length / 2;
    const bool more = tokens > 0 && std::ssize(begins) < chunks;
    if (more && (middle / share > current || tokens + length > most)) {
      begins.push_back(i);
      tokens = 0;
    }
    current = middle / share;
    tokens += length;
  }
  return begins;
}

Works TranslationWork::split(int64_t chunks) const {
  const std::vector<int64_t> begins = chunk_begins(batch_.target_segments, chunks);
  const auto ids = [](const std::vector<int32_t>& all, const Segments& segments, int64_t i) {
    return std::span(all).subspan(static_cast<size_t>(segments.begin(i)),
                                  static_cast<size_t>(segments.length(i)));
  };
  Works works;
  for (size_t chunk = 0; chunk < begins.size(); ++chunk) {
    const int64_t end = chunk + 1 < begins.size() ? begins[chunk + 1] : batch_.pairs();
    PairBatch part;
    std::vector<int64_t> lines;
    for (int64_t i = begins[chunk]; i < end; ++i) {
      const auto target = ids(batch_.expected, batch_.target_segments, i);
      append_pair(ids(batch_.source, batch_.source_segments, i),  // has its </s> already
                  target.first(target.size() - 1), part, /*source_end=*/false);
      if (!lines_.empty()) lines.push_back(lines_[static_cast<size_t>(i)]);
    }
    works.push_back(std::make_unique<TranslationWork>(model_, training_, std::move(part),
                                                      std::move(lines), dataset_));
  }
  return works;
}

}  // namespace calque
