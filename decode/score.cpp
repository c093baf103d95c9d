#include "decode/score.h"

#include <algorithm>

#include "core/ops.h"
#include "core/tape.h"
#include "data/batches/pair_batch.h"

namespace calque {
namespace {

// Calls log_probabilities(), which never holds all the logits of the batch.
void score(Translator model, const PairBatch& batch, std::vector<SequenceScore>& scores) {
  const Tensor memory = model.encode(batch.source, batch.source_segments, Mode::evaluate);
  const Tensor hidden = model.decode(batch.decoder_input, batch.target_segments, memory,
                                     batch.source_segments, Mode::evaluate);
  const std::vector<real> logs = log_probabilities(
      hidden, model.output().weight, model.output().bias, batch.expected, model.output().cap);
  const Segments& targets = batch.target_segments;
  for (int64_t i = 0; i < targets.count(); ++i) {
    SequenceScore score{.tokens = targets.length(i)};
    for (int32_t t = targets.begin(i); t < targets.end(i); ++t) {
      score.log_probability += double(logs[t]);
      score.of_tokens.push_back(logs[t]);
    }
    scores.push_back(score);
  }
}

using Texts = std::vector<std::vector<int32_t>>;

// Reads tokens [begin, end) of a text and scores the predictions from `counted` on.
struct Window {
  size_t text;
  int64_t begin, counted, end;
};

// A text of n tokens has n - 1 predictions: its last token is not read.
std::vector<Window> windows_of(const Texts& texts, int64_t context, int64_t stride) {
  std::vector<Window> windows;
  for (size_t text = 0; text < texts.size(); ++text) {
    const int64_t read = std::ssize(texts[text]) - 1;
    for (int64_t begin = 0, counted = 0; counted < read; begin += stride) {
      const int64_t end = context > 0 ? std::min(read, begin + context) : read;
      windows.push_back({text, begin, counted, end});
      counted = end;
    }
  }
  return windows;
}

// One pass over windows. Only the scored rows go through the output projection.
void score(const LanguageModel& model, const Texts& texts, std::span<const Window> windows,
           std::vector<std::vector<real>>& results) {
  std::vector<int32_t> ids, counted, expected;
  Segments segments;
  for (const Window& window : windows) {
    const std::span<const int32_t> text(texts[window.text]);
    for (int64_t t = window.begin; t < window.end; ++t) {
      if (t >= window.counted) {
        counted.push_back(static_cast<int32_t>(ids.size()));
        expected.push_back(text[t + 1]);
      }
      ids.push_back(text[t]);
    }
    segments.append(static_cast<int32_t>(window.end - window.begin));
  }
  Tensor hidden = model.hidden(ids, segments, Mode::evaluate);
  if (counted.size() < ids.size()) hidden = gather_rows(hidden, counted);
  const std::vector<real> logs =
      log_probabilities(hidden, model.output.weight, model.output.bias, expected, model.output.cap);
  auto next = logs.begin();
  for (const Window& window : windows) {
    const auto end = next + (window.end - window.counted);
    results[window.text].insert(results[window.text].end(), next, end);
    next = end;
  }
}

}  // namespace

std::vector<SequenceScore> score_pairs(Translator model, const Texts& sources, const Texts& targets,
                                       int64_t batch_tokens) {
  require(sources.size() == targets.size(), "score_pairs: {} sources and {} targets",
          sources.size(), targets.size());
  const NoGradient nothing_recorded;
  std::vector<SequenceScore> scores;
  PairBatch batch;
  for (size_t i = 0; i < sources.size(); ++i) {
    append_pair(sources[i], targets[i], batch, model.source_end());
    if (batch.target_segments.tokens() < batch_tokens && i + 1 < sources.size()) continue;
    score(model, batch, scores);
    batch = {};
  }
  return scores;
}

std::vector<std::vector<real>> token_log_probabilities(const LanguageModel& model,
                                                       const Texts& texts,
                                                       const TextScoring& options) {
  const LayerOptions& layer = model.options.layer;
  int64_t context = options.context;
  if (layer.positions == PositionKind::learned && (context == 0 || context > layer.max_positions)) {
    context = layer.max_positions;
  }
  const int64_t stride = options.stride > 0 ? options.stride : (context + 1) / 2;
  require(context >= 0 && (context == 0 || stride <= context),
          "token_log_probabilities: a stride of {} tokens leaves gaps between windows of {}",
          stride, context);
  const NoGradient nothing_recorded;
  const std::vector<Window> windows = windows_of(texts, context, stride);
  std::vector<std::vector<real>> results(texts.size());
  int64_t tokens = 0;
  for (size_t first = 0, i = 0; i < windows.size(); ++i) {
    tokens += windows[i].end - windows[i].begin;
    if (tokens < options.batch_tokens && i + 1 < windows.size()) continue;
    score(model, texts, std::span(windows).subspan(first, i + 1 - first), results);
    first = i + 1;
    tokens = 0;
  }
  return results;
}

}  // namespace calque
