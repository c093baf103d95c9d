#pragma once
// The config of a model preset, and a Transformer for benchmarks.

#include <string>

#include "core/parameters.h"
#include "nn/models/transformer.h"
#include "train/config/config.h"

namespace calque {

// Returns the default config with model.preset and training.precision.
Config preset_config(const std::string& preset, const std::string& precision = "float32");

// A Transformer whose weights are zero, with one vocabulary for both languages.
struct BenchModel {
  BenchModel(const ModelConfig& config, int64_t vocabulary);
  BenchModel(const BenchModel&) = delete;
  BenchModel& operator=(const BenchModel&) = delete;

  Parameters parameters;  // declared before the Transformer, whose constructor adds to it
  Transformer transformer;
};

}  // namespace calque
