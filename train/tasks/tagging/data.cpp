#include "train/tasks/tagging/data.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "data/files/content_hash.h"
#include "data/tokenizers/vocabulary.h"

namespace calque {
namespace {

std::vector<TaggedSentence> toy_sentences(const CorpusConfig& corpus, Split split) {
  const ToyLanguage language = toy_language(corpus);
  std::vector<TaggedSentence> sentences;
  for (const auto& [source, target] :
       language.pairs(corpus.split.value_or(split), corpus.pairs, uint64_t(corpus.seed))) {
    auto& [words, tags] = sentences.emplace_back();
    for (const auto& [text, name] : {std::pair(source, language.source_language()),
                                     std::pair(target, language.target_language())}) {
      for (std::string& word : words_of(text)) {
        const bool first = tags.empty() || !tags.back().ends_with(name);
        words.push_back(std::move(word));
        tags.push_back((first ? "B-" : "I-") + name);
      }
    }
  }
  return sentences;
}

// In these models a space is a token of its own, or a part of the word after it.
bool has_spaces(const Tokenizer& tokenizer) {
  const TokenizerKind kind = tokenizer.options().kind;
  return kind == TokenizerKind::byte_pairs || kind == TokenizerKind::characters ||
         kind == TokenizerKind::bytes;
}

}  // namespace

void read_rows(const DataConfig& data, const CorpusConfig& corpus, Split split, TaggedCorpus& to) {
  if (corpus.tagged.empty()) {
    to.rows = toy_sentences(corpus, split);
    return;
  }
  TaggedFile file = read_tagged_file(corpus.tagged, data.invalid_utf8);
  to.rows = std::move(file.sentences);
  to.skipped = file.skipped;
}

std::vector<std::string> texts_of(const std::vector<TaggedCorpus>& corpora) {
  std::vector<std::string> texts;
  for (const TaggedCorpus& corpus : corpora) {
    for (const TaggedSentence& sentence : corpus.rows) {
      texts.push_back(fmt::format("{}", fmt::join(sentence.words, " ")));
    }
  }
  return texts;
}

Labels labels_of(const std::vector<TaggedCorpus>& corpora) {
  std::set<std::string> labels;
  for (const TaggedCorpus& corpus : corpora) {
    for (const TaggedSentence& sentence : corpus.rows) {
      labels.insert(sentence.tags.begin(), sentence.tags.end());
    }
  }
  return two_labels_or_more(labels, corpora.front().name, "word");
}

void append_windows(const std::vector<std::string>& words, const Tokenizer& tokenizer,
                    int64_t context, std::vector<WordWindow>& out) {
  const bool spaces = has_spaces(tokenizer);
  const auto most = static_cast<size_t>(context - 2);
  const std::vector<int32_t> space = tokenizer.encode_document(" ");
  for (size_t i = 0; i < words.size(); ++i) {
    std::vector<int32_t> ids =
        spaces && i > 0 ? tokenizer.encode_document(" " + words[i]) : tokenizer.encode(words[i]);
    if (ids.empty()) ids.push_back(unknown_id);
    ids.resize(std::min(ids.size(), most));
    if (i == 0 || out.back().ids.size() - 1 + ids.size() > most) {
      if (i > 0) out.back().ids.push_back(end_id);
      out.push_back({.ids = {begin_id}, .starts = {}});
    }
    const bool after_space = spaces && i > 0 && ids.size() > 1 && space == std::vector{ids[0]};
    WordWindow& window = out.back();
    window.starts.push_back(static_cast<int32_t>(window.ids.size()) + (after_space ? 1 : 0));
    window.ids.insert(window.ids.end(), ids.begin(), ids.end());
  }
  if (!words.empty()) out.back().ids.push_back(end_id);
}

ExampleSet example_set(const std::vector<WordWindow>& windows) {
  ExampleSet set;
  for (const WordWindow& each : windows) set.costs.push_back(static_cast<int32_t>(each.ids.size()));
  set.read = [&windows](int64_t, int64_t number, Example& out) {
    const WordWindow& window = windows[static_cast<size_t>(number)];
    out = {window.ids, window.starts};
  };
  return set;
}

std::string TaggingData::size_text() const {
  return fmt::format("{} sentences, {} words", sentence_ends.size(), count());
}

std::string TaggingData::summary() const {
  return fmt::format("{}, {} tokens, {} sentences skipped", size_text(), tokens, skipped);
}

ExampleSet TaggingData::set() const {
  ExampleSet set = example_set(examples);
  set.parts = windows;
  set.read = [this, words = std::move(set.read)](int64_t epoch, int64_t number, Example& out) {
    words(epoch, number, out);
    out.emplace_back(labels.begin() + first_words[static_cast<size_t>(number)],
                     labels.begin() + first_words[static_cast<size_t>(number) + 1]);
  };
  set.where = [this](int64_t number) { return where(first_words[static_cast<size_t>(number)]); };
  return set;
}

std::vector<std::vector<std::string>> TaggingData::sentences(const std::vector<int32_t>& tags,
                                                             const Labels& names) const {
  std::vector<std::vector<std::string>> all;
  auto tag = tags.begin();
  for (const int64_t end : sentence_ends) {
    all.emplace_back();
    while (tag < tags.begin() + end) all.back().push_back(names[static_cast<size_t>(*tag++)]);
  }
  return all;
}

TaggingData encode_corpora(const std::vector<TaggedCorpus>& corpora, const Labels& labels,
                           const Tokenizer& tokenizer, int64_t context) {
  TaggingData data;
  data.noun = "word";
  ContentHash hash;
  hash.add_text("tagged").add(tokenizer.hash()).add(context);
  for (const std::string& label : labels) hash.add_text(label);
  for (const TaggedCorpus& corpus : corpora) {
    data.skipped += corpus.skipped;
    SharedRange words{.first = data.count(), .share = corpus.share, .name = corpus.name};
    SharedRange windows{.first = std::ssize(data.examples), .share = corpus.share};
    data.parts.push_back(words);
    for (const TaggedSentence& sentence : corpus.rows) {
      append_windows(sentence.words, tokenizer, context, data.examples);
      for (const std::string& word : sentence.words) hash.add_text(word);
      for (const std::string& tag : sentence.tags) hash.add(data.add(tag, labels));
      data.sentence_ends.push_back(data.count());
    }
    data.parts.back().count = data.count() - words.first;
    windows.count = std::ssize(data.examples) - windows.first;
    data.windows.push_back(windows);
  }
  for (const WordWindow& window : data.examples) {
    data.tokens += std::ssize(window.ids);
    data.first_words.push_back(data.first_words.back() + std::ssize(window.starts));
  }
  data.hash = hash.value();
  return data;
}

}  // namespace calque
