#pragma once
// The records of a run as lines of metrics.jsonl: one JSON object a step that is logged, a
// validation or an event. train/report/run_metrics.h reads them back.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "train/storage/training_state.h"

namespace calque {

// Means over the terms of a loss, as people read them.
struct MeanLoss {
  double loss = 0;  // what is minimised, label smoothing included
  double nll = 0;   // natural logarithm
  double perplexity = 0;
  double accuracy = 0;
};
MeanLoss mean_of(const LossSums& sums);

struct TrainRecord {
  int64_t step = 0;
  double epoch = 0;
  MeanLoss mean;
  double learning_rate = 0;
  double gradient_norm = 0;
  int64_t tokens = 0;  // terms of the loss since the beginning
  // By the clock.
  double seconds = 0;            // trained since the beginning
  double tokens_per_second = 0;  // that went through the model, since the last record
  double gflop_per_second = 0;   // useful work of products
  double wait_share = 0;         // of the time, spent waiting for data
  double memory_mb = 0;
};

// An example of the validation set and what the model makes of it. What there is not is empty.
struct Sample {
  std::string input, reference, output;
};

struct ValidRecord {
  int64_t step = 0;
  double epoch = 0;
  std::vector<std::pair<std::string, double>> values;  // by column
  std::vector<Sample> samples;
  double seconds = 0;
};

std::string json_line(const TrainRecord& record);
std::string json_line(const ValidRecord& record);
std::string event_json(int64_t step, const std::string& text);

}  // namespace calque
