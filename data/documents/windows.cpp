#include "data/documents/windows.h"

#include <algorithm>
#include <memory>

#include "core/error.h"
#include "core/random.h"
#include "data/tokenizers/vocabulary.h"

namespace calque {
namespace {

constexpr uint32_t window_offset_use = 0x0da7a006;

}  // namespace

TextWindows::TextWindows(Dataset dataset, const WindowOptions& options)
    : dataset_(std::move(dataset)), options_(options) {
  const TokenStore& store = *dataset_.tokens;
  require(store.columns() == 1, "TextWindows: a dataset of {} columns", store.columns());
  require(options.context >= 1, "TextWindows: a context of {}", options.context);
  document_steps_.push_back(0);
  for (int64_t document = 0; document < store.count(); ++document) {
    document_steps_.push_back(document_steps_.back() + store.length(document, 0) + 1);
  }
  Sequence next;
  const auto add_sequence = [&](int64_t end_step) {
    sequences_.push_back(next);
    const int64_t steps = end_step - next.first_step;
    next.first_step = end_step;
    next.first_window += (steps + options.context - 1) / options.context;
  };
  if (options.cross_documents) {
    for (const DatasetPart& part : dataset_.parts) {
      add_sequence(document_steps_[part.first_example + part.examples]);
    }
  } else {
    for (size_t i = 1; i < document_steps_.size(); ++i) add_sequence(document_steps_[i]);
  }
  sequences_.push_back(next);
}

int64_t TextWindows::sequence_of(int64_t window) const {
  require(window >= 0 && window < count(), "TextWindows: window {} of {}", window, count());
  const auto after = std::ranges::upper_bound(sequences_, window, {}, &Sequence::first_window);
  return after - sequences_.begin() - 1;
}

int64_t TextWindows::length(int64_t window) const {
  const int64_t sequence = sequence_of(window);
  int64_t steps = sequences_[sequence + 1].first_step - sequences_[sequence].first_step;
  if (options_.use == WindowUse::evaluation) {
    steps -= (window - sequences_[sequence].first_window) * options_.context;
  }
  return std::min(steps, options_.context);
}

std::vector<SharedRange> TextWindows::parts() const {
  std::vector<SharedRange> ranges;
  for (const DatasetPart& part : dataset_.parts) {
    const int64_t first = options_.cross_documents ? std::ssize(ranges) : part.first_example;
    const int64_t end = first + (options_.cross_documents ? 1 : part.examples);
    ranges.push_back({.first = sequences_[first].first_window,
                      .count = sequences_[end].first_window - sequences_[first].first_window,
                      .share = part.share,
                      .name = part.name});
  }
  return ranges;
}

TextWindows::Span TextWindows::span_of(int64_t epoch, int64_t window) const {
  const int64_t number = sequence_of(window);
  const Sequence &own = sequences_[number], &next = sequences_[number + 1];
  const int64_t steps = next.first_step - own.first_step;
  const int64_t fixed = (window - own.first_window) * options_.context;
  const auto at = [&](int64_t step) {
    return Span{own.first_step, next.first_step, own.first_step + step};
  };
  if (options_.use == WindowUse::evaluation) return at(fixed);
  Random random({.seed = options_.seed,
                 .step = static_cast<uint32_t>(epoch),
                 .part = static_cast<uint32_t>(number),
                 .use = window_offset_use});
  const auto below = [&](int64_t limit) { return static_cast<int64_t>(random.below(limit)); };
  const int64_t last = steps - std::min(steps, options_.context);
  if (options_.cross_documents) return at((below(steps) + std::min(fixed, last)) % steps);
  if (last == 0) return at(0);
  const int64_t repeated_steps = (next.first_window - own.first_window) * options_.context - steps;
  return at(std::clamp<int64_t>(fixed - below(repeated_steps + 1), 0, last));
}

int64_t TextWindows::document_at(int64_t step) const {
  return std::ranges::upper_bound(document_steps_, step) - document_steps_.begin() - 1;
}

void TextWindows::append_steps(int64_t begin, int64_t end, std::vector<int32_t>& inputs,
                               std::vector<int32_t>& expected) const {
  std::vector<int32_t> ids;
  while (begin < end) {
    const int64_t document = document_at(begin);
    const int64_t start = document_steps_[document];
    const int64_t tokens = dataset_.tokens->length(document, 0);
    const int64_t first = begin - start, last = std::min(end - start, tokens + 1);
    // Step s reads token s - 1 and expects token s.
    const int64_t from = std::max<int64_t>(first - 1, 0), to = std::min(last, tokens);
    dataset_.tokens->read_slice(document, 0, from, to - from, ids);
    if (first == 0) inputs.push_back(begin_id);
    inputs.insert(inputs.end(), ids.begin(), ids.begin() + (last - 1 - from));
    expected.insert(expected.end(), ids.begin() + (first - from), ids.end());
    if (last == tokens + 1) expected.push_back(end_id);
    begin = start + last;
  }
}

void TextWindows::read(int64_t epoch, int64_t window, std::vector<int32_t>& inputs,
                       std::vector<int32_t>& expected) const {
  const Span span = span_of(epoch, window);
  const int64_t end = span.first + length(window);
  inputs.clear();
  expected.clear();
  append_steps(span.first, std::min(end, span.end), inputs, expected);
  if (end > span.end) append_steps(span.begin, span.begin + end - span.end, inputs, expected);
  if (options_.begin) inputs.front() = begin_id;
}

std::string TextWindows::where(int64_t window) const {
  return dataset_.where(dataset_.tokens->line(document_at(span_of(0, window).first)));
}

ExampleSet TextWindows::examples() const {
  return window_examples(std::make_shared<const TextWindows>(*this));
}

}  // namespace calque
