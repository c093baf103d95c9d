#include "interop/imported.h"

#include "train/config/tasks.h"

namespace calque {

Config fine_tuning_config(TaskKind task) {
  Config config;
  config.task = task;
  task_info(config.task).set_defaults(config);
  TrainingConfig& training = config.training;
  training.schedule = TrainingConfig::Schedule::constant;
  training.learning_rate = 3e-5;
  training.warmup_steps = 100;
  training.clip_norm = 1;
  training.until = {.updates = 10'000};
  return config;
}

}  // namespace calque
