#include "train/config/short_run.h"

#include <fmt/format.h>

#include "train/config/tasks.h"

namespace calque {

// The scores are measurements (docs/optimisers.md).
std::string few_updates_warning(const Config& config, double updates) {
  const bool muon = config.training.optimizer == TrainingConfig::Optimizer::muon;
  const double few = muon ? 500 : 1000;
  const bool from_scratch = config.model.init_from.empty();
  if (lacks(config, Feature::pairs) || !from_scratch || updates == 0 || updates >= few) return "";
  return fmt::format(
      "warning: a run of about {:.0f} updates is short for a translator: on 29,000 short sentences "
      "the preset tiny reaches BLEU {} with 400 updates and {} with 1,100; raise "
      "training.until{}",
      updates, muon ? 10 : 6, muon ? 22 : 16,
      config.training.batch_tokens > 256 ? ", or lower training.batch_tokens" : "");
}

}  // namespace calque
