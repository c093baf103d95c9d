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

ExampleSet example_set(const std::vector<EncodedText>& texts) {
  ExampleSet set;
  for (const EncodedText& text : texts) set.costs.push_back(static_cast<int32_t>(text.ids.size()));
  set.read = [&texts](int64_t, int64_t number, Example& out) {
    const EncodedText& text = texts[static_cast<size_t>(number)];
    out = {text.ids, text.kinds};
  };
  return set;
}

std::string ClassificationData::size_text() const { return fmt::format("{} examples", count()); }

std::string ClassificationData::summary() const {
  return fmt::format("{}, {} tokens, {} lines skipped", size_text(), tokens, skipped);
}

ExampleSet ClassificationData::set() const {
  ExampleSet set = example_set(examples);
  set.parts = parts;
  set.read = [this, texts = std::move(set.read)](int64_t epoch, int64_t number, Example& out) {
    texts(epoch, number, out);
    out.push_back({labels[static_cast<size_t>(number)]});
  };
  set.where = [this](int64_t example) { return where(example); };
  return set;
}

ClassificationData encode_corpora(const std::vector<LabelledCorpus>& corpora, const Labels& labels,
                                  const Tokenizer& tokenizer, int64_t context) {
  ClassificationData data;
  ContentHash hash;
  hash.add_text("labelled").add(tokenizer.hash()).add(context);
  for (const std::string& label : labels) hash.add_text(label);
  for (const LabelledCorpus& corpus : corpora) {
    data.skipped += corpus.skipped;
    data.parts.push_back({.first = data.count(),
                          .count = std::ssize(corpus.rows),
                          .share = corpus.share,
                          .name = corpus.name});
    for (const LabelledText& row : corpus.rows) {
      hash.add(data.add(row.label, labels)).add(row.texts.size());
      data.examples.push_back(encode_texts(row.texts, tokenizer, context));
      data.tokens += std::ssize(data.examples.back().ids);
      for (const std::string& text : row.texts) hash.add_text(text);
    }
  }
  data.hash = hash.value();
  return data;
}

}  // namespace calque
