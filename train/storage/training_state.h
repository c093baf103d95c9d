#pragma once
// All that a training run knows at the end of a step, tensors aside: with them, the whole of what
// the steps to come depend on. It is small because the rest is a function of it: the order of an
// epoch of (seed, epoch), dropout of (seed, step), the learning rate of the step.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "train/storage/durable_files.h"

namespace calque {

struct Score {
  double value = 0;
  int64_t step = 0;  // at which it was reached
  bool operator==(const Score&) const = default;
};

struct EarlyStopping {
  int64_t validations = 0;   // so far
  int64_t without_gain = 0;  // of these, the last so many brought nothing better
  bool operator==(const EarlyStopping&) const = default;
};

// What the divergence guard and the finite check remember from step to step.
struct Divergence {
  double mean = 0;            // running mean of the loss
  int64_t steps = 0;          // in these means
  int64_t steps_above = 0;    // in a row, that were far above the mean
  int64_t bad_steps = 0;      // in a row, that were not finite
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

// The best scores by a metric until the way in which it is measured changed: they compare with no
// later ones, but their checkpoints are kept.
struct RetiredScores {
  std::string metric;
  int64_t until = 0;  // the step
  std::vector<Score> scores;
  bool operator==(const RetiredScores&) const = default;
};

struct TrainingState {
  int64_t step = 0;              // steps of training done, skipped ones included
  int64_t optimizer_step = 0;    // updates done: what the schedule and Adam's correction count
  int64_t epoch = 0;             // the epoch under way, from 0
  int64_t position = 0;          // in the order of that epoch: batches already used
  int64_t chunks = 0;            // of each micro-batch, to fit the memory; 0: not known
  bool ema = false;              // whether averaged weights are among the tensors
  int64_t mean_of = 0;           // checkpoints whose mean the weights are; 0: they were trained
  bool validation_owed = false;  // whether the one due at this step is still to be made
  std::string goal_reached;      // a goal of training.until that a validation has reached
  std::map<std::string, std::vector<Score>> best;  // of each metric, the best first
  std::vector<RetiredScores> retired;
  EarlyStopping early_stopping;
  Divergence divergence;
  LossSums since_log;
  double seconds_trained = 0;  // over all sittings
  int64_t tokens = 0;          // terms of the loss seen in training
  std::string config;          // the resolved config, as YAML
  std::string tokenizer_hash;
  std::string data_hash;
  std::map<std::string, std::string> versions;   // of what wrote it: calque, OpenBLAS, compiler
  std::map<std::string, Fingerprint> checksums;  // of the files beside it, by name
  bool operator==(const TrainingState&) const = default;
};

// state.json: an indented object whose last field is a digest of all that stands before it.
std::string format_state(const TrainingState& state);
// One of a newer format is a Mismatch.
TrainingState parse_state(std::string_view text, const std::string& path);

// The most that a state.json may have, also one that is written: its largest part is the config.
constexpr uint64_t largest_state = 4 << 20;

}  // namespace calque
