#pragma once
// The lines of metrics.jsonl: one JSON object for each logged step, validation and event.
// train/report/run_metrics.h reads them.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "train/storage/training_state.h"

namespace calque {

// Means over the terms of a loss, and the perplexity that follows from them.
struct MeanLoss {
  double loss = 0;  // with label smoothing
  double nll = 0;   // in nats
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
  int64_t tokens = 0;            // terms of the loss since the start of the run
  double seconds = 0;            // of training since the start of the run
  double tokens_per_second = 0;  // through the model, since the last record
  double gflop_per_second = 0;   // of matrix products, without recomputation
  double wait_share = 0;         // the share of the time spent waiting for data
  // With several ranks: the share of the time that rank 0 spends on exchanges, and the MB that it
  // sends per step.
  std::optional<double> exchange_share, exchange_mb;
  double memory_mb = 0;
};

// An example shown at a validation, and the model's output. Missing texts are empty.
struct Sample {
  std::string input, reference, output;
};

// A table of a validation, such as a confusion matrix. The first cell of a row is the row's name.
struct ResultTable {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;

  bool operator==(const ResultTable&) const = default;
};

struct ValidRecord {
  int64_t step = 0;
  double epoch = 0;
  std::vector<std::pair<std::string, double>> values;  // by column
  std::vector<Sample> samples;
  std::vector<ResultTable> tables;
  double seconds = 0;
};

// Where a metric will be at the end of the run: between `low` and `high` in 8 of 10 runs.
struct Prediction {
  std::string column;
  double value = 0, low = 0, high = 0;
};

std::string json_line(const TrainRecord& record);
std::string json_line(const ValidRecord& record);
std::string prediction_json(int64_t step, std::span<const Prediction> predictions);
std::string finding_json(int64_t step, const std::string& fault, const std::string& text);
std::string event_json(int64_t step, const std::string& text);

}  // namespace calque
