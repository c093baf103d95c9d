#include "train/tasks/masked_lm/run.h"

namespace calque {

MaskedLmOptions masked_lm_options(const Config& config, int64_t vocabulary) {
  MaskedLmOptions options;
  options.encoder.layer = config.model;
  options.encoder.layer.max_positions = config.data.context;
  options.encoder.vocabulary = vocabulary + 1;  // and [MASK]
  options.encoder.layers = config.model.layers;
  options.tied = config.model.tied != Tying::none;
  options.transform = config.model.masked_head;
  return options;
}

}  // namespace calque
