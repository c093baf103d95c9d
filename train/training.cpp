// The steps of a run, and what is due between them.
#include "train/training.h"

#include "core/profile.h"
#include "train/best_checkpoints.h"
#include "train/divergence_guard.h"
#include "train/machine_speed.h"
#include "train/milestones.h"
#include "train/report/report_page.h"
#include "train/stop_request.h"

namespace calque {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<int64_t> lines_of(const std::vector<Batch>& batches) {
  std::vector<int64_t> lines;
  for (const Batch& batch : batches) {
    lines.insert(lines.end(), batch.lines.begin(), batch.lines.end());
  }
  return lines;
}

}  // namespace

double Training::done() const {
  return share_done(config_.training.until, state_,
                    stream_ ? stream_->epochs() : static_cast<double>(state_.epoch));
}

// Also after a validation, which may be the last that a sitting does.
void Training::count_seconds() {
  state_.seconds_trained = seconds_before_ + seconds_since(started_);
}

bool Training::out_of_patience() const {
  return config_.training.patience > 0 &&
         state_.early_stopping.without_gain >= config_.training.patience;
}

bool Training::due(const Interval& interval) const {
  return is_due(interval, state_, epoch_before_);
}

TrainResult Training::run() {
  if ((finished() || out_of_patience()) && !state_.validation_owed) {
    return result(finished() ? Ending::already_finished : Ending::no_patience_left);
  }
  const StopRequest listening;
  started_ = Clock::now();
  meter_ = {};
  if (saved_ < 0) {  // a disk that cannot be written to shows at once
    save();
    finish_saving();
  }
  if (state_.validation_owed) {
    validate();
    save();
  }
  while (!finished() && !out_of_patience() && StopRequest::signal() == 0) {
    train_step();
    const bool last = finished(), save_is_due = due(config_.training.save_every) || last;
    state_.validation_owed = validation_->there() && (due(config_.training.validate_every) || last);
    if (save_is_due) save();  // first, because a validation may take long, or not end
    if (state_.validation_owed && (validate() || save_is_due)) save();
    settle_saving();
  }
  const int signal = StopRequest::signal();
  save();
  finish_saving();
  log_->sync();
  report();
  if (signal != 0) return result(Ending::interrupted, signal);
  return result(out_of_patience() ? Ending::patience : Ending::finished);
}

void Training::train_step() {
  std::vector<Batch> batches;
  {
    const Phase phase("wait for batches");
    for (int64_t i = 0; i < config_.training.accumulation; ++i) batches.push_back(stream_->next());
  }
  const double rate = learning_rate(schedule_, learner_.optimizer.steps() + 1);
  const StepOutcome outcome = learner_.step(batches, state_.step, rate);
  ++state_.step;
  recorded_ = false;
  epoch_before_ = state_.epoch;
  state_.epoch = stream_->state().epoch;
  state_.position = stream_->state().position;
  state_.optimizer_step = learner_.optimizer.steps();
  count_seconds();
  watch(outcome, batches);
  if (!outcome.update.finite) return;
  state_.target_tokens += outcome.sums.tokens;
  state_.since_log.loss += outcome.sums.loss;
  state_.since_log.nll += outcome.sums.nll;
  state_.since_log.correct += outcome.sums.correct;
  state_.since_log.tokens += outcome.sums.tokens;
  for (const Batch& batch : batches)
    meter_.tokens += std::ssize(batch.source) + std::ssize(batch.expected);
  meter_.flops += outcome.flops;
  log_step(outcome, rate);
}

// Throws Error when training has gone wrong for good.
void Training::watch(const StepOutcome& outcome, const std::vector<Batch>& batches) {
  const Dataset& data = stream_->dataset();
  DivergenceGuard guard(config_.training, state_.divergence);
  if (outcome.update.finite) {
    guard.saw(scores_of(outcome.sums).loss);
  } else {
    const std::string diagnosis =
        fmt::format("{}, at {}", outcome.diagnosis, data.where(lines_of(batches)));
    log_->event(state_.step, "skipped: " + diagnosis);
    guard.skipped(state_.step, diagnosis);
  }
  if (!data.same_parts(epoch_before_, state_.epoch)) guard.data_changed();
}

void Training::log_step(const StepOutcome& outcome, double rate) {
  const Phase phase("log");
  const double elapsed = std::max(1e-9, seconds_since(meter_.since));
  const double speed = static_cast<double>(meter_.tokens) / elapsed;
  if (state_.step % config_.logging.every == 0) {
    TrainRecord record;
    record.step = state_.step;
    record.epoch = stream_->epochs();
    record.scores = scores_of(state_.since_log);
    record.learning_rate = rate;
    record.gradient_norm = outcome.update.gradient_norm;
    record.tokens = state_.target_tokens;
    record.seconds = state_.seconds_trained;
    record.tokens_per_second = speed;
    record.sgemm_share = meter_.flops / elapsed / best_product_rate();
    record.wait_share = (stream_->wait_seconds() - meter_.waited) / elapsed;
    record.memory_mb = static_cast<double>(memory_statistics().peak) / 1e6;
    log_->write(record, remaining());
    state_.since_log = {};
    meter_ = {.waited = stream_->wait_seconds()};
  }
  log_->progress(done(), fmt::format("step {}  loss {:.3f}  {:.0f} tokens/s  {}", state_.step,
                                     scores_of(outcome.sums).loss, speed, remaining()));
}

std::string Training::remaining() const {
  const double share = done(), gained = share - share_before_;
  if (gained <= 0 || share >= 1) return "";
  return fmt::format("{} left", duration_text(seconds_since(started_) * (1 - share) / gained));
}

// Returns whether the checkpoint of this step is to be kept as one of the best. A request to stop
// ends it; then it is still owed when the run goes on.
bool Training::validate() {
  const Phase phase("validation");
  if (!validation_->there()) {
    state_.validation_owed = false;
    return false;
  }
  const Clock::time_point start = Clock::now();
  std::optional<ValidRecord> record;
  {
    const auto averaged = learner_.averaged_weights();
    record = validation_->run(learner_.model, [] { return StopRequest::signal() != 0; });
  }
  count_seconds();
  recorded_ = false;
  if (!record) return false;
  record->step = state_.step;
  record->epoch = stream_->epochs();
  log_->write(*record);
  if (save_failed_) {
    forget_unsaved_best(best_saved_, checkpoints_.steps(), config_.training, state_);
  }
  const bool best =
      remember_best(metric_of(*record, config_.training.metric), config_.training, state_);
  state_.validation_owed = false;
  report();
  const std::chrono::duration<double> taken = Clock::now() - start;
  meter_.since += std::chrono::duration_cast<Clock::duration>(taken);  // not training
  return best;
}

// The page can be made again at any time: training does not stop for it.
void Training::report() {
  std::error_code none;  // nothing to show yet
  if (!config_.logging.report || std::filesystem::file_size(run_.metrics(), none) == 0) return;
  try {
    write_report(run_.path);
  } catch (const Error& error) {
    log_->problem(error.what());
  }
}

// Of a step that is saved already, only what has become known about it since, if anything.
void Training::save() {
  const Phase phase("checkpoint");
  settle_saving(true);
  if (recorded_) return;
  log_->sync();
  if (save_failed_) {
    forget_unsaved_best(best_saved_, checkpoints_.steps(), config_.training, state_);
  }
  best_under_way_ = best_scores(config_.training, state_);
  CheckpointJob job = checkpoint_job(state_, config_.training);
  if (saved_ == state_.step) {
    writer_.save_state(std::move(job));
  } else {
    const auto averaged = learner_.averaged_weights();
    writer_.save(learner_.model.tensors(), learner_.optimizer_tensors(), std::move(job));
  }
  saved_ = state_.step;
  recorded_ = true;
  if (save_failed_ || !config_.training.save_in_background) finish_saving();
  save_failed_ = false;
}

void Training::finish_saving() {
  writer_.finish();
  best_saved_ = best_under_way_;
  for (const std::string& complaint : writer_.take_complaints()) log_->problem(complaint);
}

// A save that failed in the background is told as soon as it has. Training goes on to the next,
// which is waited for: if it fails too, that is the end.
void Training::settle_saving(bool wait) {
  if (!wait && !writer_.ended()) return;
  try {
    finish_saving();
  } catch (const Error& error) {
    log_->problem(error.what());
    save_failed_ = true;
    best_under_way_ = best_saved_;
    saved_ = -1;
    recorded_ = false;
  }
}

}  // namespace calque
