#include "train/settings.h"

#include <algorithm>

#include "core/error.h"
#include "train/config/presets.h"

namespace calque {
namespace {

WeightDecay weight_decay(const TrainingConfig& training, Coupling coupling) {
  return {training.weight_decay, training.decayed, coupling};
}

}  // namespace

OptimizerSettings optimizer_settings(const TrainingConfig& training) {
  switch (training.optimizer) {
    case TrainingConfig::Optimizer::sgd:
      return SgdSettings{.momentum = training.momentum,
                         .decay = weight_decay(training, Coupling::coupled)};
    case TrainingConfig::Optimizer::adafactor:
      return AdafactorSettings{.decay = weight_decay(training, Coupling::decoupled)};
    case TrainingConfig::Optimizer::muon:
      return MuonSettings{.beta1 = training.betas[0],
                          .beta2 = training.betas[1],
                          .epsilon = training.epsilon,
                          .decay = weight_decay(training, Coupling::decoupled)};
    default:
      break;
  }
  const bool decoupled = training.optimizer == TrainingConfig::Optimizer::adamw;
  return AdamSettings{
      .beta1 = training.betas[0],
      .beta2 = training.betas[1],
      .epsilon = training.epsilon,
      .decay = weight_decay(training, decoupled ? Coupling::decoupled : Coupling::coupled)};
}

OptimizerSettings joint_settings(const TrainingConfig& training) {
  if (training.outer_steps == 0) return optimizer_settings(training);
  return SgdSettings{.momentum = training.outer_momentum, .kind = Momentum::nesterov};
}

real risen_dropout(const Config& config, double epochs) {
  const double rise = config.training.dropout_epochs;
  if (rise == 0 || !config.model.init_from.empty()) return 1;
  return static_cast<real>(std::min(1.0, epochs / rise));
}

Precision product_precision(const TrainingConfig& training) {
  if (training.precision == Precision::bfloat16 && sizeof(real) != sizeof(float)) {
    fail("training.precision: bfloat16 needs a build with real = float; this one has double");
  }
  return training.precision;
}

Schedule schedule_of(const Config& config) {
  const TrainingConfig& t = config.training;
  const Warmup warmup{peak_learning_rate(config), t.warmup_steps, t.warmup_from};
  const int64_t end = t.decay_steps > 0 ? t.decay_steps : t.until.updates;
  Schedule schedule = Noam{t.factor, config.model.d_model, t.warmup_steps};
  switch (t.schedule) {
    case TrainingConfig::Schedule::whole_run:
      if (t.until.has_limit()) {
        schedule = WholeRun{warmup.peak, t.warmup_steps};
      } else {  // a goal alone: the end is unknown
        schedule = InverseSqrt{{warmup.peak, std::min<int64_t>(t.warmup_steps, 1000)}};
      }
      break;
    case TrainingConfig::Schedule::noam:
      break;
    case TrainingConfig::Schedule::inverse_sqrt:
      schedule = InverseSqrt{warmup};
      break;
    case TrainingConfig::Schedule::cosine:
      schedule = CosineDecay{warmup, end, t.final_learning_rate};
      break;
    case TrainingConfig::Schedule::linear:
      schedule = LinearDecay{warmup, end, t.final_learning_rate};
      break;
    case TrainingConfig::Schedule::constant:
      schedule = Constant{warmup};
      break;
  }
  check(schedule);
  return schedule;
}

WeightAverageSettings weight_average_settings(const TrainingConfig& training) {
  return {.decay = training.ema};
}

}  // namespace calque
