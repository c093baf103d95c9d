// The start of a run: opens its folder, task and log, and restores the last checkpoint.
#include "core/instruction_set.h"
#include "core/products/blas.h"
#include "core/products/compact/matrix.h"
#include "core/threads/parallel.h"
#include "ranks/collectives.h"
#include "train/config/load.h"
#include "train/config/show.h"
#include "train/ranks/agreement.h"
#include "train/run/batch_size.h"
#include "train/run/continuation.h"
#include "train/run/stop_request.h"
#include "train/run/training.h"
#include "train/settings.h"
#include "train/step/bfloat16_gain.h"
#include "train/step/chunks.h"
#include "train/step/slices.h"
#include "train/weights/adapter.h"
#include "train/weights/best_checkpoints.h"
#include "train/weights/initial_weights.h"
#include "train/weights/parameter_tensors.h"
#include "train/weights/resume.h"

namespace calque {
namespace {

// Prints lines before the log is open, as the log does.
std::function<void(const std::string&)> early_lines(const RunObserver& observer) {
  if (observer.line) return observer.line;
  if (observer.loudness != Loudness::normal) return {};
  return [](const std::string& line) {
    fmt::print("{}\n", line);
    std::fflush(stdout);
  };
}

// Makes the task. First refuses a config with which the run in the folder cannot be resumed.
std::unique_ptr<Task> task_of(const Config& config, const RunFolder& run, const MakeTask& make_task,
                              const RunObserver& observer) {
  using Purpose = TaskStart::Purpose;
  require_readable(config);
  const Checkpoints checkpoints(real_files(), run.path);
  if (checkpoints.steps().empty()) {
    refuse_lost_checkpoints(run);
    if (!config.model.init_from.empty()) weights_file(config.model.init_from);
    return make_task(config, run, {Purpose::begin, "", "", early_lines(observer)});
  }
  const auto state = newest_state(checkpoints);
  // Without a readable state, loading the checkpoints throws.
  if (!state) return make_task(config, run, {Purpose::plan});
  check_same_settings(*state, config);
  return make_task(
      config, run,
      {Purpose::resume, state->tokenizer_hash, state->data_hash, early_lines(observer)});
}

MetricInfo chosen_metric(const Task& task, const TrainingConfig& training) {
  const MetricInfo* metric = find_metric(task.metrics(), training.metric);
  if (metric == nullptr) fail("training.metric: {} is not a metric of this task", training.metric);
  return *metric;
}

std::string frozen_text(const Parameters& base) {
  const Precision form = base.form();
  return fmt::format(
      ", {} frozen{}", base.count(),
      form == Precision::full ? "" : fmt::format(" in {}", name_of(weight_precisions, form)));
}

std::unique_ptr<RunLock> lock_run(const RunFolder& run, Communicator& ranks, const Config& config) {
  using std::chrono::seconds;
  ranks.watch(seconds(config.training.rank_deadline), [] { return StopRequest::signal() != 0; });
  require_same_program(ranks, config);
  make_folder(real_files(), run.path);
  return ranks.is_rank_zero() ? std::make_unique<RunLock>(run.path) : nullptr;
}

}  // namespace

Training::Training(const Config& config, const RunFolder& run, const RunObserver& observer,
                   const MakeTask& make_task, Communicator& ranks)
    : ranks_(ranks),
      config_(config),
      run_(run),
      lock_(lock_run(run, ranks, config)),
      checkpoints_(real_files(), run.path),
      task_(make_tasks(
          ranks, [&] { return task_of(config, run, make_task, observer); }, config, run,
          make_task)),
      metric_(chosen_metric(*task_, config.training)),
      learner_(config.training, task_->parameters(), ranks),
      observer_(ranks.is_rank_zero() ? observer : Loudness::silent),
      saving_(checkpoints_, config.training, metric_.better,
              [this](const std::string& problem) { log_->problem(problem); }) {
  state_.tokenizer_hash = task_->tokenizer_hash();
  state_.data_hash = task_->data_hash();
  if (broadcast(ranks, checkpoints_.steps().empty())) {
    begin();
  } else {
    restore();
  }
  schedule_ = schedule_of(config_);
  announce();
  state_.longest_input = std::max(state_.longest_input, task_->longest_input());
  state_.config = show_config(config_);
  if (ranks.is_rank_zero()) replace_text(files_, run.config(), state_.config);
  state_.versions = {{"calque", CALQUE_VERSION},
                     {"blas", blas_description(product_precision(config.training))},
                     {"instructions", std::string(instruction_set())}};
  seconds_before_ = state_.seconds_trained;
  share_before_ = done();
}

void Training::begin() {
  std::vector<std::string> notes;
  if (config_.training.chooses_batch()) notes = choose_batch_size();
  if (ranks_.is_rank_zero()) {
    checkpoints_.remove_leftovers();
    for (std::string& note : initial_weights()) notes.push_back(std::move(note));
  }
  share_weights();
  learner_.start_averaging();
  state_.ema = config_.training.ema > 0;
  log_.emplace(files_, run_, config_.logging, task_->metrics(), 0, observer_.loudness,
               observer_.line);
  if (ranks_.is_rank_zero()) {
    for (std::string& remark : task_->data_remarks()) notes.push_back(std::move(remark));
  }
  for (const std::string& note : notes) log_->say(note);
  stream_ = task_->training({}, config_.training.batch_tokens);
  std::unique_ptr<Work> largest;
  if (ranks_.is_rank_zero()) {
    largest = stream_->largest();
    state_.slices = slices_for(*largest, *task_);
    if (product_precision(config_.training) == Precision::bfloat16) {
      const std::string note = bfloat16_note(bfloat16_gain(*largest, state_.slices));
      if (!note.empty()) log_->say(note);
    }
  }
  state_.slices = broadcast(ranks_, state_.slices);
  fit_memory(std::nullopt, std::move(largest));
}

// Returns lines for the log. Rank 0 chooses for all ranks.
std::vector<std::string> Training::choose_batch_size() {
  BatchChoice choice;
  if (ranks_.is_rank_zero()) choice = choose_batch(config_, *task_, ranks_.ranks());
  config_.training.batch_tokens = broadcast(ranks_, choice.tokens);
  return choice.notes;
}

// Returns lines for the log.
std::vector<std::string> Training::initial_weights() {
  learner_.initialise();
  std::vector<std::string> notes;
  const std::string& from = config_.model.init_from;
  if (!from.empty()) {
    Parameters& trained = task_->parameters();
    Parameters* const base = task_->base();
    InitialWeights initial = base
                                 ? load_initial_weights(from, state_.tokenizer_hash, *base, trained)
                                 : load_initial_weights(from, state_.tokenizer_hash, trained);
    if (base) state_.base = std::move(initial.origin);
    notes = std::move(initial.notes);
  }
  for (std::string& note : task_->load_pretrained()) notes.push_back(std::move(note));
  return notes;
}

// Gives all ranks the weights of rank 0.
void Training::share_weights() {
  broadcast(ranks_, std::as_writable_bytes(task_->parameters().values()));
  if (!task_->base()) return;
  broadcast(ranks_, std::as_writable_bytes(task_->base()->values()));
  for (const Parameters::Entry& entry : task_->base()->entries()) {
    if (!entry.compact()) continue;
    broadcast(ranks_, entry.compact()->number_bytes());
    broadcast(ranks_, entry.compact()->scale_bytes());
  }
}

void Training::restore() {
  learner_.start_averaging();  // allocates; the values are read from the checkpoint
  WholeState optimizer = learner_.optimizer_state();
  Restored restored;
  if (ranks_.is_rank_zero()) restored = load(optimizer);
  share_state(ranks_, state_);
  config_ = with_chosen_batch(std::move(config_), state_);
  share_weights();
  optimizer.scatter();
  learner_.restored(state_.optimizer_step);
  if (ranks_.is_rank_zero()) cut_back(files_, run_.metrics(), state_.step, state_.validation_owed);
  log_.emplace(files_, run_, config_.logging, task_->metrics(), state_.step, observer_.loudness,
               observer_.line);
  if (ranks_.is_rank_zero()) tidy(restored);
  log_->say(fmt::format("resuming {} at step {}, epoch {}", run_.path, state_.step, state_.epoch));
  for (const std::string& note : restored.notes) log_->say(note);
  stream_ = task_->training({state_.epoch, state_.position}, config_.training.batch_tokens);
  fit_memory(config_of(state_).training.memory_limit);
}

Training::Restored Training::load(const WholeState& optimizer) {
  Restored restored;
  const auto loaded = checkpoints_.load_newest(parameter_slots(task_->parameters()),
                                               optimizer.slots(), restored.damaged);
  restored.notes = check_same_settings(loaded->state, config_);
  const Config resumed = with_chosen_batch(config_, loaded->state);
  const std::string rate = changed_rate_note(loaded->state, resumed, run_.path);
  if (!rate.empty()) restored.notes.push_back(rate);
  check_same_data(loaded->state, state_.tokenizer_hash, state_.data_hash);
  state_ = loaded->state;
  if (task_->base()) {
    load_base(run_.path, state_.base, config_.model.init_from, parameter_slots(*task_->base()));
  }
  for (std::string& note : retire_incomparable_scores(state_, config_of(state_), config_, *task_)) {
    restored.notes.push_back(std::move(note));
  }
  return restored;
}

void Training::tidy(const Restored& restored) {
  for (const DamagedCheckpoint& d : restored.damaged) {
    log_->problem(fmt::format("{} is damaged and was set aside: {}", d.folder, d.problem));
    checkpoints_.set_aside(d);
  }
  checkpoints_.remove_leftovers();
  saving_.resumed(state_);
}

// The numbers of slices and chunks affect the dropout. A run keeps the first, and the second as
// long as its memory limit does not change, also on another machine. `largest` is computed if it is
// needed and nullptr.
void Training::fit_memory(const std::optional<Bytes>& limit_before, std::unique_ptr<Work> largest) {
  const Bytes limit = config_.training.memory_limit;
  if (limit_before != limit || state_.chunks == 0) {
    state_.chunks = 1;
    if (limit.count > 0 && ranks_.is_rank_zero()) {
      if (!largest) largest = stream_->largest();
      state_.chunks = chunks_for_memory(learner_, *largest, state_.slices, limit);
    }
    state_.chunks = broadcast(ranks_, state_.chunks);
    if (state_.chunks > 1) {
      log_->say(fmt::format("training.memory_limit: each batch is split into {} chunks",
                            state_.slices * state_.chunks));
    }
  }
  learner_.divide({state_.slices, state_.chunks});
}

void Training::announce() {
  if (finished() || out_of_patience()) return;
  log_->say(fmt::format(
      "{}: {}; {} parameters{}; {}{} threads, {}, {}", run_.path, task_->data_description(),
      task_->parameters().count(), task_->base() ? frozen_text(*task_->base()) : "",
      ranks_.ranks() == 1 ? "" : fmt::format("{} ranks, ", ranks_.ranks()), threads(),
      instruction_set(), blas_description(product_precision(config_.training))));
}

}  // namespace calque
