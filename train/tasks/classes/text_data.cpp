#include "train/tasks/classes/text_data.h"

#include <fmt/ranges.h>

#include <set>
#include <utility>

#include "data/files/content_hash.h"

namespace calque {
namespace {

LogitsOf logits_of(const TextClasses& classes, const Classifier& model) {
  return [&](std::span<const Example> examples) {
    return model.head.logits(classes.vectors(model, examples, Mode::evaluate));
  };
}

}  // namespace

std::vector<LabelledCorpus> read_corpora(const TextClasses& classes, const DataConfig& data,
                                         const Corpora& corpora, Split split) {
  std::vector<LabelledCorpus> read;
  for (const CorpusConfig& corpus : corpora) {
    read.push_back({corpus_name(corpus),
                    {.weight = corpus.weight, .epochs = corpus.epochs},
                    classes.read(corpus, data, split)});
  }
  return read;
}

std::vector<std::string> whole_texts(const TextClasses& classes,
                                     const std::vector<std::string>& texts) {
  if (!classes.of_words) return texts;
  return {fmt::format("{}", fmt::join(texts, " "))};
}

std::vector<std::string> whole_texts(const TextClasses& classes,
                                     const std::vector<LabelledCorpus>& corpora) {
  std::vector<std::string> all;
  for (const LabelledCorpus& corpus : corpora) {
    for (const LabelledText& row : corpus.file.rows) {
      for (std::string& text : whole_texts(classes, row.texts)) all.push_back(std::move(text));
    }
  }
  return all;
}

Labels labels_of(const TextClasses& classes, const std::vector<LabelledCorpus>& corpora) {
  std::set<std::string> labels;
  for (const LabelledCorpus& corpus : corpora) {
    for (const LabelledText& row : corpus.file.rows) {
      labels.insert(row.labels.begin(), row.labels.end());
    }
  }
  return two_labels_or_more(labels, corpora.front().name, classes.labelled);
}

void EncodedTexts::add(const TextClasses& classes, const std::vector<std::string>& texts,
                       const Tokenizer& tokenizer, int64_t context) {
  for (Example& example : classes.encode(texts, tokenizer, context)) {
    tokens += std::ssize(example[0]);
    first_labels.push_back(first_labels.back() + (classes.of_words ? std::ssize(example[1]) : 1));
    examples.push_back(std::move(example));
  }
  row_ends.push_back(first_labels.back());
}

std::string TextData::size_text() const {
  if (!classes->of_words) return fmt::format("{} {}s", count(), noun);
  return fmt::format("{} {}s, {} {}s", texts.row_ends.size(), classes->row, count(), noun);
}

std::string TextData::summary() const {
  return fmt::format("{}, {} tokens, {} {}s skipped", size_text(), texts.tokens, skipped,
                     classes->skipped);
}

ExampleSet TextData::set() const {
  ExampleSet set = example_set(texts.examples);
  set.parts = ranges;
  set.where = [this](int64_t number) {
    return where(texts.first_labels[static_cast<size_t>(number)]);
  };
  return set;
}

RowLabels TextData::names(const std::vector<int32_t>& of_labels, const Labels& names) const {
  RowLabels all;
  auto next = of_labels.begin();
  for (const int64_t end : texts.row_ends) {
    all.emplace_back();
    while (next < of_labels.begin() + end) {
      all.back().push_back(names[static_cast<size_t>(*next++)]);
    }
  }
  return all;
}

TextData encode_corpora(const TextClasses& classes, const std::vector<LabelledCorpus>& corpora,
                        const Labels& labels, const Tokenizer& tokenizer, int64_t context) {
  TextData data;
  data.noun = classes.labelled;
  data.classes = &classes;
  ContentHash hash;
  hash.add_text("labelled").add(tokenizer.hash()).add(context);
  for (const std::string& label : labels) hash.add_text(label);
  std::vector<Example>& examples = data.texts.examples;
  for (const auto& [name, share, file] : corpora) {
    data.skipped += file.skipped;
    data.parts.push_back({.first = data.count(), .share = share, .name = name});
    SharedRange range{.first = std::ssize(examples), .share = share, .name = name};
    for (const LabelledText& row : file.rows) {
      for (const std::string& label : row.labels) hash.add(data.add(label, labels));
      hash.add(row.texts.size());
      for (const std::string& text : row.texts) hash.add_text(text);
      data.texts.add(classes, row.texts, tokenizer, context);
    }
    data.parts.back().count = data.count() - data.parts.back().first;
    range.count = std::ssize(examples) - range.first;
    data.ranges.push_back(std::move(range));
  }
  for (size_t i = 0; i < examples.size(); ++i) {
    examples[i].emplace_back(data.labels.begin() + data.texts.first_labels[i],
                             data.labels.begin() + data.texts.first_labels[i + 1]);
  }
  data.hash = hash.value();
  return data;
}

ClassificationResult evaluate_texts(const Classifier& model, const TextData& data,
                                    const Labels& labels, double label_smoothing,
                                    BatchShare share) {
  ClassificationResult result = evaluate_classes(
      example_set(data.texts.examples), data.labels, std::ssize(labels), label_smoothing,
      std::move(share), logits_of(*data.classes, model), data.texts.first_labels);
  if (data.classes->scores != nullptr) {
    result.more = data.classes->scores(data.names(data.labels, labels),
                                       data.names(result.predicted, labels), labels);
  }
  return result;
}

std::vector<std::vector<std::vector<double>>> class_probabilities(const TextClasses& classes,
                                                                  const Classifier& model,
                                                                  const EncodedTexts& texts) {
  const auto all = class_probabilities(example_set(texts.examples), logits_of(classes, model));
  std::vector<std::vector<std::vector<double>>> rows;
  auto next = all.begin();
  for (const int64_t end : texts.row_ends) {
    rows.emplace_back(next, all.begin() + end);
    next = all.begin() + end;
  }
  return rows;
}

}  // namespace calque
