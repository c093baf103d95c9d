// task: tagging. An encoder is trained to name the class of each word of a sentence.
#include "train/tasks/tagging/task.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "data/corpora/tagged.h"
#include "data/tokenizers/vocabulary.h"
#include "train/metrics/spans.h"
#include "train/tasks/classes/text_classifier.h"
#include "train/tasks/classes/text_task.h"
#include "train/tasks/descriptor.h"
#include "train/tasks/loss_metrics.h"

namespace calque {

extern const TaskDescriptor tagging_task;

namespace {

// A sentence of a toy language and its translation are one sentence, in which B- and I- mark the
// spans of the two languages.
LabelledFile read_sentences(const CorpusConfig& corpus, const DataConfig& data, Split split) {
  if (!corpus.tagged.empty()) return read_tagged_file(corpus.tagged, data.invalid_utf8);
  const ToyLanguage language = toy_language(corpus);
  LabelledFile file;
  for (const auto& [source, target] :
       language.pairs(corpus.split.value_or(split), corpus.pairs, uint64_t(corpus.seed))) {
    auto& [words, tags] = file.rows.emplace_back();
    for (const auto& [text, name] : {std::pair(source, language.source_language()),
                                     std::pair(target, language.target_language())}) {
      const size_t first = words.size();
      for (std::string& word : words_of(text)) {
        tags.push_back((words.size() == first ? "B-" : "I-") + name);
        words.push_back(std::move(word));
      }
    }
  }
  return file;
}

// In these models a space is a token of its own, or a part of the word after it.
bool has_spaces(const Tokenizer& tokenizer) {
  const TokenizerKind kind = tokenizer.options().kind;
  return kind == TokenizerKind::byte_pairs || kind == TokenizerKind::characters ||
         kind == TokenizerKind::bytes;
}

Tensor word_vectors(const Classifier& model, std::span<const Example> windows, Mode mode) {
  const PackedExamples packed = pack(windows);
  std::vector<int32_t> rows;
  for (size_t i = 0; i < windows.size(); ++i) {
    const int32_t begin = packed.segments.offsets()[i];
    for (const int32_t first : windows[i][1]) rows.push_back(begin + first);
  }
  return model.of_tokens(packed.columns[0], packed.segments, rows, mode);
}

std::span<const MetricInfo> tagging_metrics() {
  static const std::vector<MetricInfo> all = [] {
    std::vector<MetricInfo> metrics = metrics_of_classes("word");
    const auto add = [&](const char* name, const char* title, const char* meaning) {
      metrics.push_back(
          {name, name, "", title, "", meaning, ValueFormat::percent, 1, Better::higher});
    };
    add("f1", "F1 of spans",
        "The harmonic mean of precision and recall. A span, such as a name, is right if its type "
        "and both its borders are.");
    add("precision", "Precision of spans", "How many of the predicted spans are right.");
    add("recall", "Recall of spans", "How many of the expected spans are predicted.");
    return metrics;
  }();
  return all;
}

// Nothing for labels that mark no spans.
ClassScores span_scores(const RowLabels& expected, const RowLabels& predicted,
                        const Labels& labels) {
  if (!mark_spans(labels)) return {};
  SpanCounts spans;
  for (size_t i = 0; i < expected.size(); ++i) spans.add_sentence(expected[i], predicted[i]);
  return {{"f1", spans.f1()}, {"precision", spans.precision()}, {"recall", spans.recall()}};
}

void check_metric(const Config& config, const Labels& labels) {
  const std::string& metric = config.training.metric;
  const bool of_spans = metric == "f1" || metric == "precision" || metric == "recall";
  if (!of_spans || mark_spans(labels)) return;
  fail("training.metric: {} needs tags that mark spans, such as B-PER and O, not {}", metric,
       fmt::join(labels, ", "));
}

}  // namespace

std::vector<Example> word_windows(const std::vector<std::string>& words, const Tokenizer& tokenizer,
                                  int64_t context) {
  const bool spaces = has_spaces(tokenizer);
  const auto most = static_cast<size_t>(context - 2);
  const std::vector<int32_t> space = tokenizer.encode_document(" ");
  std::vector<Example> windows;
  for (size_t i = 0; i < words.size(); ++i) {
    std::vector<int32_t> ids =
        spaces && i > 0 ? tokenizer.encode_document(" " + words[i]) : tokenizer.encode(words[i]);
    if (ids.empty()) ids.push_back(unknown_id);
    ids.resize(std::min(ids.size(), most));
    if (i == 0 || windows.back()[0].size() - 1 + ids.size() > most) {
      windows.push_back({{begin_id}, {}});
    }
    std::vector<int32_t>&all = windows.back()[0], &firsts = windows.back()[1];
    const bool after_space = spaces && i > 0 && ids.size() > 1 && space == std::vector{ids[0]};
    firsts.push_back(static_cast<int32_t>(all.size()) + (after_space ? 1 : 0));
    all.insert(all.end(), ids.begin(), ids.end());
  }
  for (Example& window : windows) window[0].push_back(end_id);
  return windows;
}

const TextClasses classes_of_words = {
    .task = TaskKind::tagging,
    .row = "sentence",
    .labelled = "word",
    .skipped = "sentence",
    .of_words = true,
    .read = read_sentences,
    .encode = word_windows,
    .vectors = word_vectors,
    .metrics = tagging_metrics,
    .scores = span_scores,
    .check = check_metric,
};

const TaskDescriptor tagging_task = {.kind = TaskKind::tagging,
                                     .make = make_text_task_of<classes_of_words>,
                                     .metrics = tagging_metrics,
                                     .contradictions = text_classifier_contradictions};

}  // namespace calque
