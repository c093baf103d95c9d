#include "decode/score.h"

#include <algorithm>

#include "core/ops.h"
#include "core/tape.h"
#include "core/threads/parallel.h"
#include "data/batches/pair_batch.h"

namespace calque {
namespace {

// Calls log_probabilities(), which never holds all the logits of the batch.
void score(Translator model, const PairBatch& batch, std::span<SequenceScore> scores) {
  const NoGradient nothing_recorded;
  const Tensor memory = model.encode(batch.source, batch.source_segments, Mode::evaluate);
  const Tensor hidden = model.decode(batch.decoder_input, batch.target_segments, memory,
                                     batch.source_segments, Mode::evaluate);
  const std::vector<real> logs = log_probabilities(
      hidden, model.output().weight, model.output().bias, batch.expected, model.output().cap);
  const Segments& targets = batch.target_segments;
  for (int64_t i = 0; i < targets.count(); ++i) {
    SequenceScore& score = scores[static_cast<size_t>(i)];
    score.tokens = targets.length(i);
    for (int32_t t = targets.begin(i); t < targets.end(i); ++t) {
      score.log_probability += double(logs[t]);
      score.of_tokens.push_back(logs[t]);
    }
  }
}

using Texts = std::vector<std::vector<int32_t>>;

struct Range {
  size_t begin, end;
};

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

// Consecutive items with at least `tokens` tokens together.
template <class TokensOf>
std::vector<Range> batches_of(size_t items, int64_t tokens, const TokensOf& tokens_of) {
  std::vector<Range> batches;
  int64_t sum = 0;
  for (size_t first = 0, i = 0; i < items; ++i) {
    sum += tokens_of(i);
    if (sum < tokens && i + 1 < items) continue;
    batches.push_back({first, i + 1});
    first = i + 1;
    sum = 0;
  }
  return batches;
}

// One pass over windows. Only the scored rows go through the output projection. Returns the logs of
// the predictions of all windows, one after another.
std::vector<real> score(const LanguageModel& model, const Texts& texts,
                        std::span<const Window> windows) {
  const NoGradient nothing_recorded;
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
  return log_probabilities(hidden, model.output.weight, model.output.bias, expected,
                           model.output.cap);
}

}  // namespace

std::vector<SequenceScore> score_pairs(Translator model, const Texts& sources, const Texts& targets,
                                       int64_t batch_tokens) {
  require(sources.size() == targets.size(), "score_pairs: {} sources and {} targets",
          sources.size(), targets.size());
  const auto batches = batches_of(sources.size(), batch_tokens,
                                  [&](size_t i) { return std::ssize(targets[i]) + 1; });
  std::vector<SequenceScore> scores(sources.size());
  for_groups(std::ssize(batches), [&](int64_t number) {
    const auto [begin, end] = batches[number];
    PairBatch batch;
    for (size_t i = begin; i < end; ++i) {
      append_pair(sources[i], targets[i], batch, model.source_end());
    }
    score(model, batch, std::span(scores).subspan(begin, end - begin));
  });
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
  const std::vector<Window> windows = windows_of(texts, context, stride);
  const auto batches = batches_of(windows.size(), options.batch_tokens,
                                  [&](size_t i) { return windows[i].end - windows[i].begin; });
  std::vector<std::vector<real>> logs(batches.size());
  for_groups(std::ssize(batches), [&](int64_t number) {
    const auto [begin, end] = batches[number];
    logs[number] = score(model, texts, std::span(windows).subspan(begin, end - begin));
  });
  std::vector<std::vector<real>> results(texts.size());
  for (size_t number = 0; number < batches.size(); ++number) {
    auto next = logs[number].begin();
    for (size_t i = batches[number].begin; i < batches[number].end; ++i) {
      const auto end = next + (windows[i].end - windows[i].counted);
      results[windows[i].text].insert(results[windows[i].text].end(), next, end);
      next = end;
    }
  }
  return results;
}

}  // namespace calque
