#include "train/tasks/masked_lm/run.h"

#include "train/tasks/text/tokenizer.h"

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

MaskedLmRun open_masked_lm_run(const std::string& place) {
  const RunLocation found = find_run(place, TaskKind::masked_lm);
  MaskedLmRun run;
  run.config = found.config;
  run.tokenizer = open_text_tokenizer(run.config, found.folder, {TaskStart::Purpose::use});
  run.network =
      std::make_unique<TaskModel<MaskedLm>>(masked_lm_options(run.config, run.tokenizer.size()));
  const LoadedWeights loaded =
      load_weights(found, run.network->parameters, hash_of({run.tokenizer}));
  run.checkpoint = loaded.checkpoint;
  run.step = loaded.step;
  return run;
}

}  // namespace calque
