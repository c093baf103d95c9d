#pragma once
// The implementation of train() (train/trainer.h): everything that a run consists of, from its
// start or last checkpoint (start.cpp) to its end (training.cpp), and its report (reporting.cpp).

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "optim/schedule.h"
#include "train/config/config.h"
#include "train/run/log.h"
#include "train/run/milestones.h"
#include "train/step/learner.h"
#include "train/storage/run_lock.h"
#include "train/task.h"
#include "train/trainer.h"
#include "train/weights/checkpoint_saving.h"

namespace calque {

// Counts since the last line of the log.
struct Meter {
  std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
  int64_t tokens = 0;
  double flops = 0;
  int64_t steps = 0;
  double waited = 0;    // the stream's wait_seconds() at `since`
  Traffic exchanged{};  // the ranks' traffic() at `since`
};

class Training {
 public:
  Training(const Config& config, const RunFolder& run, const RunObserver& observer,
           const MakeTask& make_task, Communicator& ranks);
  TrainResult run();
  void close_log() { log_->close(); }
  // Logs the error that ended the run.
  void ended_by(const std::string& error) {
    log_->ended(state_.step, error, !checkpoints_.steps().empty());
  }

 private:
  // What rank 0 reports after loading the checkpoint.
  struct Restored {
    std::vector<DamagedCheckpoint> damaged;
    std::vector<std::string> notes;
  };
  void restore();
  Restored load(const WholeState& optimizer);
  void tidy(const Restored& restored);
  void begin();
  std::vector<std::string> initial_weights();
  void share_weights();
  std::vector<std::string> choose_batch_size();
  void fit_memory(const std::optional<Bytes>& limit_before,
                  std::unique_ptr<Work> largest = nullptr);
  void announce();
  bool due(const Interval& interval) const;
  double done() const;  // share_done() of training.until
  bool finished() const { return done() >= 1; }
  bool out_of_patience() const;
  void count_seconds();
  void start_meter();
  void train_step();
  void agree();
  void watch(const StepOutcome& outcome, const Works& works);
  void log_step(const StepOutcome& outcome, double rate);
  TrainRecord record_of(const StepOutcome& outcome, double rate, double elapsed) const;
  bool validate();
  bool validate_here();
  ValidRecord record_of(const Scores& scores) const;
  void note_goal(const Scores& scores);
  void diagnose();
  void report();
  void save();
  std::string remaining() const;
  bool asked_to_stop() const { return signal_ != 0 || stopped_; }
  TrainResult result(Ending ending, int signal = 0) { return {ending, state_.step, signal}; }

  Communicator& ranks_;
  Config config_;  // a run may choose training.batch_tokens
  const RunFolder run_;
  FileSystem& files_ = real_files();
  const std::unique_ptr<RunLock> lock_;  // null on other ranks than 0
  Checkpoints checkpoints_;
  std::unique_ptr<Task> task_;
  const MetricInfo metric_;  // training.metric
  Learner learner_;
  TrainingState state_;
  Schedule schedule_;
  std::optional<RunLog> log_;
  const RunObserver observer_;
  CheckpointSaving saving_;
  std::unique_ptr<WorkStream> stream_;
  Meter meter_;
  int signal_ = 0;        // the signal that asked this or another rank to stop, or 0
  bool stopped_ = false;  // the observer has asked to stop
  Elapsed before_;        // before the last step
  double seconds_before_ = 0, share_before_ = 0;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace calque
