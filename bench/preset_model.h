#pragma once
// A Transformer of a preset of the config, and the training options that a config has by default.

#include <string>

#include "core/parameters.h"
#include "nn/transformer.h"
#include "train/config/config.h"

namespace calque {

Config preset_config(const std::string& preset, const std::string& precision = "float32");

// Its weights are zero.
struct PresetModel {
  PresetModel(const ModelConfig& config, int64_t vocabulary);
  PresetModel(const PresetModel&) = delete;
  PresetModel& operator=(const PresetModel&) = delete;

  Parameters parameters;  // before the model, whose constructor fills it
  Transformer transformer;
};

}  // namespace calque
