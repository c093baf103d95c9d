#include "train/config/fine_tuning.h"

#include <fmt/format.h>

#include "train/config/show.h"
#include "train/config/tasks.h"

namespace calque {

Config fine_tuning_config(TaskKind task) {
  Config config;
  config.task = task;
  task_info(task).set_defaults(config);
  TrainingConfig& training = config.training;
  training.optimizer = TrainingConfig::Optimizer::adamw;
  training.schedule = TrainingConfig::Schedule::constant;
  training.learning_rate = 3e-5;
  training.warmup_steps = 100;
  training.clip_norm = 1;
  training.batch_tokens = TrainingConfig::usual_batch_tokens;
  training.until = {.updates = 10'000};
  return config;
}

std::string fine_tuning_text(const Config& config) {
  Config usual;
  usual.task = config.task;
  task_info(usual.task).set_defaults(usual);
  std::string text = fmt::format(
      "# Trains the imported model on: set data.train, and data.validation to compare "
      "checkpoints.\n"
      "task: {}\n",
      name_of(task_kinds, config.task));
  std::string section;
  for (const ConfigDifference& difference : config_differences(usual, config)) {
    const size_t dot = difference.key.find('.');
    const bool is_default = find_config_key(difference.key)->write(usual) == difference.now;
    if (is_default || difference.now == "not used") continue;
    if (difference.key.substr(0, dot) != section) {
      section = difference.key.substr(0, dot);
      text += fmt::format("\n{}:\n", section);
    }
    text += fmt::format("  {}: {}\n", difference.key.substr(dot + 1), difference.now);
  }
  return text;
}

}  // namespace calque
