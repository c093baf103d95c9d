#include "train/tasks/classification/corpora.h"

#include <set>
#include <utility>

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

void read_rows(const DataConfig& data, const CorpusConfig& corpus, Split split,
               LabelledCorpus& to) {
  if (corpus.labelled.empty()) {
    to.rows = toy_rows(corpus, split);
    return;
  }
  LabelledFile file = read_labelled_file(corpus.labelled, data.invalid_utf8);
  to.rows = std::move(file.rows);
  to.skipped = file.skipped;
}

std::vector<std::string> texts_of(const std::vector<LabelledCorpus>& corpora) {
  std::vector<std::string> texts;
  for (const LabelledCorpus& corpus : corpora) {
    for (const LabelledText& row : corpus.rows) {
      texts.insert(texts.end(), row.texts.begin(), row.texts.end());
    }
  }
  return texts;
}

Labels labels_of(const std::vector<LabelledCorpus>& corpora) {
  std::set<std::string> labels;
  for (const LabelledCorpus& corpus : corpora) {
    for (const LabelledText& row : corpus.rows) labels.insert(row.label);
  }
  return two_labels_or_more(labels, corpora.front().name, "example");
}

}  // namespace calque
