#pragma once
// The corpora that a translator is trained on: those of data.train, changed by data.distill, and
// those that data.back_translate makes, all changed by
// data.terms and data.preceding_sentences.

#include <string>
#include <vector>

#include "data/corpora/corpus.h"
#include "train/config/config.h"
#include "train/task.h"

namespace calque {

// The mark of a synthetic source.
inline constexpr std::string_view back_translation_tag = "<bt>";

// Whether sources begin with the tag.
bool has_tagged_sources(const DataConfig& data);

struct TrainingCorpora {
  std::vector<CorpusSource> sources;
  std::string synthetic;    // the hash of those that runs make; empty: none
  std::string description;  // the end of a line of the log
};

// Makes the synthetic corpora in the cache of the run, or reads them there. For a plan, makes none
// and describes them. For TaskStart::Purpose::use, there are no corpora. Throws an Error for a run
// that translates in another direction, and before anything is made, if a resumed run began with
// other synthetic corpora.
TrainingCorpora open_training_corpora(const Config& config, const RunFolder& run,
                                      const TaskStart& start);

}  // namespace calque
