#include "train/trainer.h"

#include <chrono>
#include <limits>

#include "core/blas.h"
#include "core/parallel.h"
#include "core/profile.h"
#include "data/batch_stream.h"
#include "train/best_checkpoints.h"
#include "train/config/show.h"
#include "train/divergence_guard.h"
#include "train/initial_weights.h"
#include "train/learner.h"
#include "train/machine_speed.h"
#include "train/memory_fit.h"
#include "train/milestones.h"
#include "train/report/report_page.h"
#include "train/resume.h"
#include "train/settings.h"
#include "train/stop_request.h"
#include "train/storage/checkpoint_writer.h"
#include "train/storage/run_lock.h"
#include "train/validation.h"

namespace calque {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string hex(uint64_t value) { return fmt::format("{:016x}", value); }

Dataset load_training_data(const Config& config, const Tokenizers& tokenizers,
                           const RunFolder& run) {
  return load_dataset(corpus_sources(config.data.train, config.data, CorpusConfig::Split::train),
                      tokenizers.source, tokenizers.target,
                      {filter_options(config.data), config.data.cache ? run.cache() : ""});
}

// What is only needed between two lines of the log, and only by the clock.
struct Meter {
  Clock::time_point since = Clock::now();
  int64_t tokens = 0;  // source and target
  double flops = 0;
  double waited = 0;  // of the stream's count, at `since`
};

class Trainer {
 public:
  Trainer(const Config& config, const RunFolder& run, Loudness loudness);
  TrainResult run();
  void close_log() { log_->close(); }

 private:
  void restore();
  void begin();
  void announce(const Dataset& data);
  bool due(const Interval& interval) const;
  double done() const;  // the share of the limit that is nearest
  bool finished() const { return done() >= 1; }
  bool out_of_patience() const;
  void train_step();
  void log_step(const StepOutcome& outcome, double rate);
  bool validate();
  void report();
  void save();
  void finish_saving();
  std::string remaining() const;
  TrainResult result(Ending ending, int signal = 0) { return {ending, state_.step, signal}; }

  const Config config_;
  const RunFolder run_;
  FileSystem& files_ = real_files();
  RunLock lock_;
  Tokenizers tokenizers_;
  Learner learner_;
  Checkpoints checkpoints_;
  TrainingState state_;
  Schedule schedule_;
  std::optional<RunLog> log_;
  Loudness loudness_;
  std::optional<BatchStream> stream_;
  std::optional<Validation> validation_;
  CheckpointWriter writer_{checkpoints_};
  Meter meter_;
  int64_t saved_ = -1;        // step
  int64_t epoch_before_ = 0;  // the last step
  double seconds_before_ = 0, share_before_ = 0;
  Clock::time_point started_ = Clock::now();
};

TransformerOptions model_options(const Config& config, const Tokenizers& tokenizers) {
  return transformer_options(config.model, tokenizers.source.size(), tokenizers.target.size());
}

// A config that would make another run of this one is refused before anything in its folder is
// touched.
Tokenizers tokenizers_of(const Config& config, const RunFolder& run) {
  const Checkpoints checkpoints(real_files(), run.path);
  if (checkpoints.steps().empty()) {
    refuse_lost_checkpoints(run);
    return begin_tokenizers(config, run);
  }
  if (const auto state = newest_state(checkpoints)) check_same_settings(*state, config);
  return resume_tokenizers(config, run);
}

Trainer::Trainer(const Config& config, const RunFolder& run, Loudness loudness)
    : config_(config),
      run_(run),
      lock_((make_folder(real_files(), run.path), run.path)),
      tokenizers_(tokenizers_of(config, run)),
      learner_(config.training, model_options(config, tokenizers_),
               pieces_for_memory(config, model_options(config, tokenizers_))),
      checkpoints_(real_files(), run.path),
      schedule_(schedule_of(config)),
      loudness_(loudness) {
  Dataset data = load_training_data(config, tokenizers_, run);
  state_.tokenizer_hash = tokenizers_.hash();
  state_.data_hash = hex(data.hash);
  if (checkpoints_.steps().empty()) {
    begin();
  } else {
    restore();
  }
  announce(data);
  stream_.emplace(std::move(data), batch_options(config.training),
                  StreamState{state_.epoch, state_.position}, pair_variation(config, tokenizers_));
  validation_.emplace(config, tokenizers_, run);
  state_.config = show_config(config);
  replace_text(files_, run.config(), state_.config);
  state_.versions = {{"calque", CALQUE_VERSION}, {"blas", blas_description()}};
  state_.seeds = {{"training", static_cast<uint64_t>(config.training.seed)}};
  seconds_before_ = state_.seconds_trained;
  share_before_ = done();
}

void Trainer::begin() {
  cut_back(files_, run_.metrics(), -1);  // of a beginning that was killed before it was saved
  checkpoints_.remove_leftovers();
  learner_.initialise();
  std::vector<std::string> notes;
  if (!config_.model.init_from.empty()) {
    notes = load_initial_weights(config_.model.init_from, learner_.model);
  }
  learner_.start_averaging();
  state_.ema = config_.training.ema > 0;
  log_.emplace(files_, run_, config_.logging, 0, loudness_);
  for (const std::string& note : notes) log_->say(note);
}

void Trainer::restore() {
  learner_.start_averaging();  // takes the memory; its values are read
  std::vector<DamagedCheckpoint> damaged;
  const auto loaded =
      checkpoints_.load_newest(learner_.model.targets(), learner_.optimizer_targets(), damaged);
  const std::vector<std::string> notes = check_same_settings(loaded->state, config_);
  check_same_text(loaded->state, state_.tokenizer_hash, state_.data_hash);
  state_ = loaded->state;
  learner_.restored(state_.optimizer_step);
  saved_ = state_.step;
  cut_back(files_, run_.metrics(), state_.step);
  log_.emplace(files_, run_, config_.logging, state_.step, loudness_);
  for (const DamagedCheckpoint& d : damaged) {
    log_->problem(fmt::format("{} is damaged and was set aside: {}", d.folder, d.problem));
    checkpoints_.set_aside(d);
  }
  checkpoints_.remove_leftovers();
  writer_.tidy(checkpoint_job(state_, config_.training));
  finish_saving();
  log_->say(fmt::format("resuming {} at step {}, epoch {}", run_.path, state_.step, state_.epoch));
  for (const std::string& note : notes) log_->say(note);
}

void Trainer::announce(const Dataset& data) {
  if (finished() || out_of_patience()) return;
  log_->say(fmt::format("{}: {} pairs, dropped: {}; {} parameters, vocabulary {}; {} threads, {}",
                        run_.path, data.pairs(), data.drops.text(),
                        learner_.model.parameters.count(), tokenizers_.target.size(), threads(),
                        blas_description()));
  if (!data.cache_problem.empty()) {
    log_->say(fmt::format("{}; the next start tokenises again", data.cache_problem));
  }
}

double Trainer::done() const {
  return share_done(config_.training.until, state_,
                    stream_ ? stream_->epochs() : static_cast<double>(state_.epoch));
}

bool Trainer::out_of_patience() const {
  return config_.training.patience > 0 &&
         state_.early_stopping.without_gain >= config_.training.patience;
}

bool Trainer::due(const Interval& interval) const {
  return is_due(interval, state_, epoch_before_);
}

TrainResult Trainer::run() {
  if (finished() || out_of_patience()) return result(Ending::already_finished);
  const StopRequest listening;
  started_ = Clock::now();
  meter_ = {};
  if (saved_ < 0) {  // a disk that cannot be written to shows at once
    save();
    finish_saving();
  }
  while (!finished() && !out_of_patience()) {
    train_step();
    const bool last = finished();
    bool worth_saving = due(config_.training.save_every) || last;
    if (due(config_.training.validate_every) || last) worth_saving = validate() || worth_saving;
    if (StopRequest::signal() != 0) break;
    if (worth_saving) save();
  }
  const int signal = StopRequest::signal();
  if (saved_ != state_.step) save();
  finish_saving();
  log_->sync();
  report();
  if (signal != 0) return result(Ending::interrupted, signal);
  return result(out_of_patience() ? Ending::patience : Ending::finished);
}

void Trainer::train_step() {
  std::vector<Batch> batches;
  {
    const Phase phase("wait for batches");
    for (int64_t i = 0; i < config_.training.accumulation; ++i) batches.push_back(stream_->next());
  }
  const double rate = learning_rate(schedule_, learner_.optimizer.steps() + 1);
  const StepOutcome outcome = learner_.step(batches, state_.step, rate);
  ++state_.step;
  epoch_before_ = state_.epoch;
  state_.epoch = stream_->state().epoch;
  state_.position = stream_->state().position;
  state_.optimizer_step = learner_.optimizer.steps();
  state_.seconds_trained = seconds_before_ + seconds_since(started_);
  DivergenceGuard guard(config_.training, state_.divergence);
  if (!outcome.update.finite) {
    log_->event(state_.step, "skipped: " + outcome.diagnosis);
    guard.skipped(state_.step, outcome.diagnosis);
    return;
  }
  guard.saw(scores_of(outcome.sums).loss);
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

void Trainer::log_step(const StepOutcome& outcome, double rate) {
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

std::string Trainer::remaining() const {
  const double share = done(), gained = share - share_before_;
  if (gained <= 0 || share >= 1) return "";
  return fmt::format("{} left", duration_text(seconds_since(started_) * (1 - share) / gained));
}

// Returns whether the checkpoint of this step is to be kept as one of the best.
bool Trainer::validate() {
  const Phase phase("validation");
  if (!validation_->there()) return false;
  const Clock::time_point start = Clock::now();
  ValidRecord record;
  {
    const auto averaged = learner_.averaged_weights();
    record = validation_->run(learner_.model);
  }
  record.step = state_.step;
  record.epoch = stream_->epochs();
  log_->write(record);
  const bool best =
      remember_best(metric_of(record, config_.training.metric), config_.training, state_);
  report();
  const std::chrono::duration<double> taken = Clock::now() - start;
  meter_.since += std::chrono::duration_cast<Clock::duration>(taken);  // not training
  return best;
}

// The page can be made again at any time: training does not stop for it.
void Trainer::report() {
  std::error_code none;  // nothing to show yet
  if (!config_.logging.report || std::filesystem::file_size(run_.metrics(), none) == 0) return;
  try {
    write_report(run_.path);
  } catch (const Error& error) {
    log_->problem(error.what());
  }
}

void Trainer::save() {
  const Phase phase("checkpoint");
  finish_saving();
  log_->sync();
  {
    const auto averaged = learner_.averaged_weights();
    writer_.save(learner_.model.tensors(), learner_.optimizer_tensors(),
                 checkpoint_job(state_, config_.training));
  }
  saved_ = state_.step;
  if (!config_.training.save_in_background) finish_saving();
}

void Trainer::finish_saving() {
  writer_.finish();
  for (const std::string& complaint : writer_.take_complaints()) log_->problem(complaint);
}

}  // namespace

TrainResult train(const Config& config, const RunFolder& run, Loudness loudness) {
  Trainer trainer(config, run, loudness);
  const TrainResult result = trainer.run();
  trainer.close_log();
  return result;
}

}  // namespace calque
