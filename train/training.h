#pragma once
// What train() runs (train/trainer.h): all that a run has in hand, from its beginning or its last
// checkpoint (training_start.cpp) to its end (training.cpp).

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "data/batch_stream.h"
#include "optim/schedule.h"
#include "train/config/config.h"
#include "train/learner.h"
#include "train/run_log.h"
#include "train/storage/checkpoint_writer.h"
#include "train/storage/run_lock.h"
#include "train/tokenizers.h"
#include "train/trainer.h"
#include "train/validation.h"

namespace calque {

// What is only needed between two lines of the log, and only by the clock.
struct Meter {
  std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
  int64_t tokens = 0;  // source and target
  double flops = 0;
  double waited = 0;  // of the stream's count, at `since`
};

class Training {
 public:
  Training(const Config& config, const RunFolder& run, Loudness loudness);
  TrainResult run();
  // What train() does at the end, so that lines of a log that are lost are told.
  void close_log() { log_->close(); }
  // Into the record, for whoever reads it later; who sees it run is told by the error itself.
  void ended_by(const std::string& error) { log_->ended(state_.step, error); }

 private:
  void restore();
  void begin();
  void announce(const Dataset& data);
  bool due(const Interval& interval) const;
  double done() const;  // the share of the limit that is nearest
  bool finished() const { return done() >= 1; }
  bool out_of_patience() const;
  void count_seconds();
  void train_step();
  void watch(const StepOutcome& outcome, const std::vector<Batch>& batches);
  void log_step(const StepOutcome& outcome, double rate);
  bool validate();
  void report();
  void save();
  void finish_saving();
  void settle_saving(bool wait = false);
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
  int64_t saved_ = -1;        // the step whose tensors are saved, or being saved
  bool recorded_ = false;     // and all that is known about it
  bool save_failed_ = false;  // the last one, in the background
  std::vector<Score> best_saved_, best_under_way_;  // in the last save that succeeded, and in this
  int64_t epoch_before_ = 0;                        // the last step
  double seconds_before_ = 0, share_before_ = 0;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace calque
