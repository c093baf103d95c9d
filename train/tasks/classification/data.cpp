#include "train/tasks/classification/data.h"

#include <algorithm>

#include "core/error.h"
#include "data/files/content_hash.h"
#include "data/tokenizers/vocabulary.h"

namespace calque {

EncodedText encode_texts(const std::vector<std::string>& texts, const Tokenizer& tokenizer,
                         int64_t context) {
  std::vector<std::vector<int32_t>> parts;
  int64_t size = 1;
  for (const std::string& text : texts) {
    parts.push_back(tokenizer.encode(text));
    size += std::ssize(parts.back()) + 1;
  }
  const auto shorter = [](const auto& a, const auto& b) { return a.size() < b.size(); };
  for (; size > context; --size) {
    std::vector<int32_t>& longest = *std::ranges::max_element(parts, shorter);
    if (longest.empty()) break;
    longest.pop_back();
  }
  EncodedText encoded{.ids = {begin_id}, .kinds = {0}};
  for (size_t part = 0; part < parts.size(); ++part) {
    encoded.ids.insert(encoded.ids.end(), parts[part].begin(), parts[part].end());
    encoded.ids.push_back(end_id);
    encoded.kinds.resize(encoded.ids.size(), static_cast<int32_t>(part));
  }
  return encoded;
}

std::vector<int64_t> ClassificationData::count_ids(int32_t vocabulary) const {
  std::vector<int64_t> counts_of_ids(static_cast<size_t>(vocabulary));
  for (const ClassifiedText& example : examples) {
    for (const int32_t id : example.ids) ++counts_of_ids[static_cast<size_t>(id)];
  }
  counts_of_ids[begin_id] = counts_of_ids[end_id] = 0;
  return counts_of_ids;
}

std::string ClassificationData::where(int64_t example) const {
  const auto after = std::ranges::upper_bound(parts, example, {}, &SharedRange::first);
  const SharedRange& part = *(after - 1);
  return fmt::format("{}, example {}", part.name, example - part.first + 1);
}

ExampleSet ClassificationData::set() const {
  ExampleSet set;
  for (const ClassifiedText& example : examples) {
    set.costs.push_back(static_cast<int32_t>(example.ids.size()));
  }
  set.parts = parts;
  set.read = [this](int64_t, int64_t number, Example& out) {
    const ClassifiedText& example = examples[static_cast<size_t>(number)];
    out = {example.ids, example.kinds, {example.label}};
  };
  set.where = [this](int64_t example) { return where(example); };
  return set;
}

ClassificationData encode_corpora(const std::vector<LabelledCorpus>& corpora, const Labels& labels,
                                  const Tokenizer& tokenizer, int64_t context) {
  ClassificationData data;
  data.counts.resize(labels.size());
  ContentHash hash;
  hash.add_text("labelled").add(tokenizer.hash()).add(context);
  for (const std::string& label : labels) hash.add_text(label);
  for (const LabelledCorpus& corpus : corpora) {
    data.skipped += corpus.skipped;
    data.parts.push_back({.first = std::ssize(data.examples),
                          .count = std::ssize(corpus.rows),
                          .share = corpus.share,
                          .name = corpus.name});
    for (size_t i = 0; i < corpus.rows.size(); ++i) {
      const LabelledText& row = corpus.rows[i];
      const auto label = std::ranges::lower_bound(labels, row.label);
      if (label == labels.end() || *label != row.label) {
        fail("{}, example {}: the label '{}' does not occur in the training data", corpus.name,
             i + 1, row.label);
      }
      const auto number = static_cast<int32_t>(label - labels.begin());
      data.examples.push_back({encode_texts(row.texts, tokenizer, context), number});
      data.tokens += std::ssize(data.examples.back().ids);
      ++data.counts[static_cast<size_t>(number)];
      hash.add(number).add(row.texts.size());
      for (const std::string& text : row.texts) hash.add_text(text);
    }
  }
  data.hash = hash.value();
  return data;
}

}  // namespace calque
