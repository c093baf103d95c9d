// What a run says of itself after a validation: where it will end, what is wrong with it, and its
// report. A failure does not end training.
#include <algorithm>
#include <filesystem>

#include "optim/schedule.h"
#include "train/config/presets.h"
#include "train/config/tasks.h"
#include "train/report/diagnosis.h"
#include "train/report/pages/report_page.h"
#include "train/report/prediction.h"
#include "train/run/training.h"

namespace calque {
namespace {

bool has_metrics(const RunFolder& run) {
  std::error_code missing;
  return std::filesystem::file_size(run.metrics(), missing) > 0 && !missing;
}

// 0 if no rate is known that suits the model and its optimizer.
double known_rate(const Config& config) {
  using enum TrainingConfig::Optimizer;
  const TrainingConfig& training = config.training;
  const bool scaled_otherwise = training.optimizer == sgd || training.optimizer == adafactor;
  const bool trained = !config.model.init_from.empty();
  if (scaled_otherwise || trained || lacks(config, Feature::network)) return 0;
  return usual_learning_rate(config);
}

// Whether the learning rate is lowest at the end of the run, whose length is known.
bool falls_to_its_end(const TrainingConfig& training) {
  const bool whole = training.schedule == TrainingConfig::Schedule::whole_run;
  const bool at_last_update = training.decay_steps == 0 && training.has_final_step();
  return training.until.has_limit() && training.until.goal.metric.empty() &&
         (whole || at_last_update);
}

}  // namespace

// Logs where the curves will end, and what diagnosis.h finds in the curves and the run has not
// logged yet.
void Training::diagnose() {
  if (!ranks_.is_rank_zero() || !has_metrics(run_)) return;
  const TrainingConfig& training = config_.training;
  RunFacts facts;
  facts.peak_rate = training.schedule == TrainingConfig::Schedule::noam
                        ? learning_rate(schedule_, training.warmup_steps, 0)
                        : peak_learning_rate(config_);
  facts.usual_rate = known_rate(config_);
  facts.clip_norm = training.clip_norm;
  facts.done = done();
  facts.metric = metric_;
  try {
    const ReportRun curves = read_run(run_.path, task_->metrics());
    if (task_->validates() && falls_to_its_end(training)) {
      const std::vector<Prediction> ends = predictions(curves, facts.done);
      if (!ends.empty()) log_->prediction(state_.step, ends);
    }
    for (const Finding& finding : findings(curves, facts)) {
      if (!is_reported(curves, finding)) log_->finding(state_.step, finding.fault, finding.text);
    }
  } catch (const Error& error) {
    log_->problem(error.what());
  }
}

// With logging.report, rank 0 writes the report if there are metrics. The page can be written again
// at any time.
void Training::report() {
  if (!ranks_.is_rank_zero() || !config_.logging.report || !has_metrics(run_)) return;
  try {
    write_report(run_.path, task_->metrics());
  } catch (const Error& error) {
    log_->problem(error.what());
  }
}

}  // namespace calque
