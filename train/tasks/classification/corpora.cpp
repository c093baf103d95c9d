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
  return two_labels_or_more(labels, corpora.front().name, "example");
}

}  // namespace calque
