#include "train/tasks/classification/corpora.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <utility>

#include "core/error.h"
#include "data/files/file.h"
#include "data/files/text_lines.h"
#include "train/storage/durable_files.h"
#include "train/tasks/data_settings.h"

namespace calque {
namespace {

// Returns toy examples: expressions labelled with their values (listops), or sentences labelled
// with their languages.
std::vector<LabelledText> toy_rows(const CorpusConfig& corpus, Split split) {
  const ToyLanguage language = toy_language(corpus);
  std::vector<LabelledText> rows;
  for (const auto& [source, target] :
       language.pairs(corpus.split.value_or(split), corpus.pairs, uint64_t(corpus.seed))) {
    if (corpus.toy == CorpusConfig::Toy::listops) {
      rows.push_back({target, {source}});
      continue;
    }
    rows.push_back({language.source_language(), {source}});
    rows.push_back({language.target_language(), {target}});
  }
  return rows;
}

}  // namespace

LabelledCorpus read_labelled_corpus(const CorpusConfig& corpus, Split split, InvalidText invalid) {
  LabelledCorpus read{.name = corpus_name(corpus),
                      .share = {.weight = corpus.weight, .epochs = corpus.epochs},
                      .rows = {}};
  if (corpus.labelled.empty()) {
    read.rows = toy_rows(corpus, split);
  } else {
    LabelledFile file = read_labelled_file(corpus.labelled, invalid);
    read.rows = std::move(file.rows);
    read.skipped = file.skipped;
  }
  return read;
}

std::vector<LabelledCorpus> read_labelled_corpora(const Corpora& corpora, Split split,
                                                  InvalidText invalid) {
  std::vector<LabelledCorpus> read;
  for (const CorpusConfig& corpus : corpora) {
    read.push_back(read_labelled_corpus(corpus, split, invalid));
  }
  return read;
}

Labels labels_of(const std::vector<LabelledCorpus>& corpora) {
  std::set<std::string> labels;
  for (const LabelledCorpus& corpus : corpora) {
    for (const LabelledText& row : corpus.rows) labels.insert(row.label);
  }
  if (labels.size() < 2) {
    fail("{}: every example has the label '{}'; a classifier needs examples of two classes or more",
         corpora.front().name, *labels.begin());
  }
  return {labels.begin(), labels.end()};
}

void save_labels(const Labels& labels, const RunFolder& run) {
  const std::string path = run.labels();
  std::string text;
  for (const std::string& label : labels) text += label + '\n';
  std::error_code not_there;
  const bool as_long = std::filesystem::file_size(path, not_there) == text.size();
  if (as_long && read_file(path, std::ssize(text)) == text) return;
  replace_text(real_files(), path, text);
}

Labels load_labels(const RunFolder& run) {
  constexpr const char* fix =
      "resume the run with calque train, which writes it again from the data";
  const std::string path = run.labels();
  if (!std::filesystem::exists(path)) fail("{}: is missing; restore it, or {}", path, fix);
  const TextLines lines(path, TextLines::Empty::allowed);
  Labels labels;
  for (int64_t i = 0; i < lines.count(); ++i) labels.push_back(lines.line(i));
  const auto disorder = std::ranges::adjacent_find(labels, std::ranges::greater_equal());
  if (labels.size() < 2 || disorder != labels.end()) {
    fail("{}: is not a sorted list of two labels or more; restore it, or {}", path, fix);
  }
  return labels;
}

}  // namespace calque
