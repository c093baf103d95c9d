#pragma once
// A run put to use: its config, its tokenisers, and the weights of one of its checkpoints.

#include <memory>
#include <string>
#include <vector>

#include "train/run_folder.h"
#include "train/tokenizers.h"
#include "train/translation_model.h"

namespace calque {

struct TrainedRun {
  RunFolder folder;
  Config config;
  Tokenizers tokenizers;
  std::unique_ptr<TranslationModel> model;
  std::string checkpoint;  // the folder that the weights are from
  int64_t step = 0;        // how far it was trained
};

// `place` is a run, whose best checkpoint is taken, or its last if it has no best; or the folder of
// one checkpoint inside a run. Without a link, the best is by what the newest state remembers.
// Throws Error for anything else, and if that checkpoint is damaged.
TrainedRun open_run(const std::string& place);

// Runs that are to translate together, whose vocabularies have to be the same.
std::vector<TrainedRun> open_runs(const std::vector<std::string>& places);
std::vector<const Transformer*> models_of(const std::vector<TrainedRun>& runs);

// A run's config without its weights.
Config run_config(const RunFolder& run);

}  // namespace calque
