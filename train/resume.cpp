#include "train/resume.h"

#include "core/error.h"
#include "train/config/load.h"
#include "train/config/show.h"

namespace calque {

std::vector<std::string> check_resumable(const TrainingState& state, const Config& config,
                                         const std::string& tokenizer_hash,
                                         const std::string& data_hash) {
  const Config before = parse_config(state.config, "the checkpoint's config").config;
  std::vector<std::string> notes;
  std::string harmful;
  for (const ConfigDifference& d : config_differences(before, config)) {
    const std::string change = fmt::format("{}: {} -> {}", d.key, d.before, d.now);
    if (d.on_resume == OnResume::harmful) {
      harmful += (harmful.empty() ? "" : ", ") + change;
    } else {
      notes.push_back("changed since the checkpoint: " + change);
    }
  }
  if (!harmful.empty()) {
    fail("the run cannot go on with these changes: {}; undo them, or train anew with --fresh",
         harmful);
  }
  if (tokenizer_hash != state.tokenizer_hash) {
    fail(
        "the run's tokeniser is not the one its checkpoint was trained with; restore the run's "
        "tokenizer files, or train anew with --fresh");
  }
  if (data_hash != state.data_hash) {
    fail(
        "the training data is not what the checkpoint was trained on; restore it, or train anew "
        "with --fresh, or fine-tune from this run with model.init_from");
  }
  return notes;
}

}  // namespace calque
