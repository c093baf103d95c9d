// A language model is trained as GPT-2's smaller relatives are; a translator as the paper's base
// model.
#include "train/config/task_defaults.h"

namespace calque {

void apply_task(Config& config) {
  const Config paper;
  ModelConfig& model = config.model;
  TrainingConfig& training = config.training;
  const bool text = config.task == TaskKind::language_model;
  model.norm = text ? ModelConfig::Norm::pre : paper.model.norm;
  model.activation = text ? ModelConfig::Activation::gelu : paper.model.activation;
  model.positions = text ? ModelConfig::Positions::rotary : paper.model.positions;
  training.label_smoothing = text ? 0 : paper.training.label_smoothing;
  training.optimizer = text ? TrainingConfig::Optimizer::adamw : paper.training.optimizer;
  training.betas = text ? std::array{0.9, 0.99} : paper.training.betas;
  training.epsilon = text ? 1e-8 : paper.training.epsilon;
  training.weight_decay = text ? 0.1 : paper.training.weight_decay;
  training.clip_norm = text ? 1 : paper.training.clip_norm;
  training.schedule = text ? TrainingConfig::Schedule::inverse_sqrt : paper.training.schedule;
  training.learning_rate = text ? 1e-3 : paper.training.learning_rate;
  training.warmup_steps = text ? 200 : paper.training.warmup_steps;
}

}  // namespace calque
