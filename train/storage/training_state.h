#pragma once
// The state of a run after a step: together with the tensors, all that later steps depend on. It is
// small because everything else follows from it: the order of an epoch from (seed, epoch), dropout
// from (seed, step), and the learning rate from the number of the update.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "train/storage/durable_files.h"

namespace calque {

struct Score {
  double value = 0;
  int64_t step = 0;
  bool operator==(const Score&) const = default;
};

struct EarlyStopping {
  int64_t validations = 0;   // so far
  int64_t without_gain = 0;  // validations in a row without a better score
  bool operator==(const EarlyStopping&) const = default;
};

// The memory of the divergence guard and of the finite check.
struct Divergence {
  double mean = 0;            // running mean of the loss
  int64_t steps = 0;          // the number of steps in the mean
  int64_t steps_above = 0;    // in a row, with a loss far above the mean
  int64_t bad_steps = 0;      // skipped in a row, because they were not finite
  int64_t skipped_steps = 0;  // in all
  bool operator==(const Divergence&) const = default;
};

// Sums over the terms of the loss (tokens, images, ...).
struct LossSums {
  double loss = 0;  // with label smoothing
  double nll = 0;
  int64_t correct = 0;
  int64_t terms = 0;

  LossSums& operator+=(const LossSums& other) {
    loss += other.loss;
    nll += other.nll;
    correct += other.correct;
    terms += other.terms;
    return *this;
  }
  bool operator==(const LossSums&) const = default;
};

// The best scores by a metric before its measurement changed. They are not comparable with later
// scores, but their checkpoints are kept.
struct RetiredScores {
  std::string metric;
  int64_t until = 0;  // the step of the change
  std::vector<Score> scores;
  bool operator==(const RetiredScores&) const = default;
};

// The file with the frozen weights of an adapter's base.
struct BaseWeights {
  std::string file;  // an absolute path; empty: the run has no adapter
  Fingerprint contents;
  bool operator==(const BaseWeights&) const = default;
};

struct TrainingState {
  int64_t step = 0;              // the number of steps, including skipped ones
  int64_t optimizer_step = 0;    // the number of updates
  int64_t epoch = 0;             // the current epoch, from 0
  int64_t position = 0;          // the number of its micro-batches used so far
  int64_t slices = 1;            // of each micro-batch, computed side by side
  int64_t chunks = 0;            // of each slice, to fit the memory; 0: not known
  bool ema = false;              // whether the tensors include averaged weights
  int64_t mean_of = 0;           // the number of averaged checkpoints; 0: a training run
  BaseWeights base;              // with model.adapter, what the weights correct
  bool int8 = false;             // whether the weights were rounded to int8; not for training
  bool validation_owed = false;  // whether the validation of this step has yet to be done
  std::string goal_reached;      // the goal of training.until that a validation has reached
  std::map<std::string, std::vector<Score>> best;  // by metric, the best first
  std::vector<RetiredScores> retired;
  EarlyStopping early_stopping;
  Divergence divergence;
  LossSums since_log;
  double seconds_trained = 0;  // over all starts of the run
  int64_t tokens = 0;          // terms of the loss seen in training
  int64_t longest_input = 0;   // Task::longest_input()
  std::string config;          // the resolved config, as YAML
  std::string tokenizer_hash;
  std::string data_hash;
  std::map<std::string, std::string> versions;   // of calque and of its BLAS
  std::map<std::string, Fingerprint> checksums;  // of the files beside it, by name
  bool operator==(const TrainingState&) const = default;
};

// state.json: an indented object whose last field is a digest of all text before it.
std::string format_state(const TrainingState& state);
// A newer format is a Mismatch.
TrainingState parse_state(std::string_view text, const std::string& path);

// The largest size of a state.json in bytes; most of it is the config.
constexpr uint64_t largest_state = 4 << 20;

}  // namespace calque
