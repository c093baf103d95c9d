// Runs the steps of training, and between them validates, saves checkpoints and writes the log.
#include "train/run/training.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "core/memory/pool.h"
#include "core/profile.h"
#include "ranks/collectives.h"
#include "train/ranks/agreement.h"
#include "train/run/stop_request.h"
#include "train/settings.h"
#include "train/step/divergence_guard.h"
#include "train/weights/best_checkpoints.h"

namespace calque {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The origins of the micro-batches, each once.
std::string origins_of(const Works& works) {
  std::vector<std::string> places;
  for (const auto& work : works) {
    const std::string place = work->where();
    if (std::ranges::count(places, place) == 0) places.push_back(place);
  }
  return fmt::format("{}", fmt::join(places, "; "));
}

}  // namespace

double Training::done() const {
  return share_done(config_.training.until, state_,
                    stream_ ? stream_->epochs() : static_cast<double>(state_.epoch));
}

void Training::count_seconds() {
  state_.seconds_trained = seconds_before_ + seconds_since(started_);
}

bool Training::out_of_patience() const { return calque::out_of_patience(config_.training, state_); }

bool Training::due(const Interval& interval) const {
  return is_due(interval, before_, {state_.optimizer_step, state_.epoch});
}

TrainResult Training::run() {
  if ((finished() || out_of_patience()) && !state_.validation_owed) {
    return result(finished() ? Ending::already_finished : Ending::no_patience_left);
  }
  const StopRequest listening;
  started_ = Clock::now();
  start_meter();
  if (!broadcast(ranks_, saving_.has_checkpoint())) {
    save();  // fails at once if the disk cannot be written to
    saving_.finish();
  }
  if (state_.validation_owed) {
    validate();
    save();
  }
  agree();
  while (!finished() && !out_of_patience() && !asked_to_stop()) {
    train_step();
    agree();
    const bool last = finished(), save_is_due = due(config_.training.save_every) || last;
    state_.validation_owed = task_->validates() && (due(config_.training.validate_every) || last);
    if (last && !task_->validates()) diagnose();
    if (save_is_due) save();  // before validation, which may take long or be interrupted
    const bool takes_long = save_is_due || state_.validation_owed;
    if (state_.validation_owed && (validate() || save_is_due)) save();
    saving_.poll();
    if (takes_long) agree();
  }
  save();
  saving_.finish();
  log_->sync();
  report();
  if (signal_ != 0) {
    if (ranks_.ranks() > 1) StopRequest::ignore_later(signal_);
    return result(Ending::interrupted, signal_);
  }
  if (stopped_ && !finished()) return result(Ending::stopped);
  return result(out_of_patience() ? Ending::patience : Ending::finished);
}

// Agrees on what the next step depends on besides the steps before it: time and signals.
void Training::agree() {
  struct {
    double seconds;
    int64_t signal, stopped;
  } const own{state_.seconds_trained, StopRequest::signal(), stopped_};
  ranks_.at_step(state_.step);
  const auto all = all_gather(ranks_, std::span(&own, 1));
  state_.seconds_trained = all.front().seconds;
  for (const auto& rank : all) {
    if (rank.signal != 0) signal_ = static_cast<int>(rank.signal);
    if (rank.stopped != 0) stopped_ = true;
  }
}

void Training::start_meter() {
  meter_ = {.waited = stream_->wait_seconds(), .exchanged = ranks_.traffic()};
}

void Training::train_step() {
  Works works;
  const real dropout_share = risen_dropout(config_, stream_->epochs());
  {
    const Phase phase("wait for batches");
    const int64_t batches = config_.training.batches_of_step();
    for (int64_t i = 0; i < batches; ++i) works.push_back(stream_->next());
  }
  const double rate = learning_rate(schedule_, learner_.updates() + 1, done());
  const StepOutcome outcome = learner_.step(works, state_.step, rate, dropout_share);
  ++state_.step;
  saving_.changed();
  before_ = {state_.optimizer_step, state_.epoch};
  const StreamPosition position = stream_->position();
  state_.epoch = position.epoch;
  state_.position = position.position;
  state_.optimizer_step = learner_.updates();
  count_seconds();
  watch(outcome, works);
  if (!outcome.update.finite) return;
  state_.tokens += outcome.sums.terms;
  state_.since_log += outcome.sums;
  for (const auto& work : works) meter_.tokens += work->size().tokens;
  meter_.flops += outcome.flops;
  ++meter_.steps;
  log_step(outcome, rate);
}

// Throws an Error when training has diverged.
void Training::watch(const StepOutcome& outcome, const Works& works) {
  DivergenceGuard guard(config_.training, state_.divergence);
  if (outcome.update.finite) {
    guard.observe(mean_of(outcome.sums).loss);
  } else {
    const std::string diagnosis = fmt::format("{}, at {}", outcome.diagnosis, origins_of(works));
    log_->event(state_.step, "skipped: " + diagnosis);
    guard.skipped(state_.step, diagnosis);
  }
  if (!stream_->same_data(before_.epochs, state_.epoch)) guard.data_changed();
}

// The record of a step. Speed and waits are measured since the last line of the log.
TrainRecord Training::record_of(const StepOutcome& outcome, double rate, double elapsed) const {
  TrainRecord record;
  record.step = state_.step;
  record.epoch = stream_->epochs();
  record.mean = mean_of(outcome.sums);
  record.learning_rate = rate;
  record.gradient_norm = outcome.update.gradient_norm;
  record.tokens = state_.tokens;
  record.seconds = state_.seconds_trained;
  record.tokens_per_second = static_cast<double>(meter_.tokens) / elapsed;
  record.gflop_per_second = meter_.flops / elapsed / 1e9;
  record.wait_share = (stream_->wait_seconds() - meter_.waited) / elapsed;
  record.memory_mb = static_cast<double>(memory_statistics().peak) / 1e6;
  if (ranks_.ranks() > 1) {
    const Traffic traffic = ranks_.traffic() - meter_.exchanged;
    record.exchange_share = traffic.seconds / elapsed;
    record.exchange_mb =
        static_cast<double>(traffic.bytes) / 1e6 / static_cast<double>(meter_.steps);
  }
  return record;
}

void Training::log_step(const StepOutcome& outcome, double rate) {
  const Phase phase("log");
  const double elapsed = std::max(1e-9, seconds_since(meter_.since));
  const double speed = static_cast<double>(meter_.tokens) / elapsed;
  if (observer_.step && !observer_.step(record_of(outcome, rate, elapsed))) stopped_ = true;
  if (state_.step % config_.logging.every == 0) {
    TrainRecord record = record_of(outcome, rate, elapsed);
    record.mean = mean_of(state_.since_log);
    log_->write(record, remaining());
    state_.since_log = {};
    start_meter();
  }
  log_->progress(done(), fmt::format("step {}  loss {:.3f}  {:.0f} tokens/s  {}", state_.step,
                                     mean_of(outcome.sums).loss, speed, remaining()));
}

std::string Training::remaining() const {
  const Goal& goal = config_.training.until.goal;
  if (!goal.metric.empty() && done() < 1) return "until " + to_text(goal);
  const double share = done(), gained = share - share_before_;
  if (gained <= 0 || share >= 1) return "";
  return fmt::format("{} left", duration_text(seconds_since(started_) * (1 - share) / gained));
}

ValidRecord Training::record_of(const Scores& scores) const {
  ValidRecord record;
  record.step = state_.step;
  record.epoch = stream_->epochs();
  for (const auto& [name, value] : scores.values) {
    const MetricInfo* metric = find_metric(task_->metrics(), name);
    require(metric != nullptr, "validation: the task declares no metric {}", name);
    record.values.emplace_back(metric->column, value);
  }
  record.samples = scores.samples;
  record.tables = scores.tables;
  return record;
}

void Training::note_goal(const Scores& scores) {
  const Goal& goal = config_.training.until.goal;
  for (const auto& [name, value] : scores.values) {
    if (name != goal.metric || !goal.reached_by(value)) continue;
    state_.goal_reached = to_text(goal);
    log_->say(fmt::format("training.until: {} is reached", state_.goal_reached));
  }
}

// Returns whether the checkpoint of this step is one of the best. The ranks share the work;
// afterwards all ranks have the state of rank 0.
bool Training::validate() {
  const bool best = validate_here();
  share_state(ranks_, state_);
  return broadcast(ranks_, best);
}

// A stop request interrupts the validation; the resumed run repeats it.
bool Training::validate_here() {
  const Phase phase("validation");
  if (!task_->validates()) {
    state_.validation_owed = false;
    return false;
  }
  const Clock::time_point start = Clock::now();
  const Traffic traffic_before = ranks_.traffic();
  std::optional<Scores> scores;
  {
    const auto averaged = learner_.averaged_weights();
    scores = task_->validate(ranks_, [] { return StopRequest::signal() != 0; });
  }
  count_seconds();
  saving_.changed();
  if (!scores) return false;
  ValidRecord record = record_of(*scores);
  record.seconds = seconds_since(start);
  log_->write(record);
  if (observer_.validation && !observer_.validation(record)) stopped_ = true;
  saving_.forget_failed_scores(state_);
  bool best = false;
  const auto chosen =
      std::ranges::find(scores->values, metric_.name, &std::pair<std::string, double>::first);
  if (chosen != scores->values.end()) {
    best = record_score(chosen->second, metric_.better, config_.training, state_);
  }
  note_goal(*scores);
  state_.validation_owed = false;
  diagnose();
  report();
  // Speed and exchange are measured without validation.
  meter_.since += Clock::now() - start;
  meter_.exchanged = meter_.exchanged + (ranks_.traffic() - traffic_before);
  return best;
}

// If the tensors of the step are saved already, saves only its state, and only if it has changed.
void Training::save() {
  const Phase phase("checkpoint");
  if (!broadcast(ranks_, saving_.is_due())) return;
  WholeState optimizer = learner_.optimizer_state();
  if (broadcast(ranks_, saving_.needs_tensors(state_))) optimizer.gather();
  if (!ranks_.is_rank_zero()) return;
  log_->sync();
  saving_.save(state_, learner_, optimizer);
}

}  // namespace calque
