#pragma once
// From the section `model` of a config to the options of the modules that all models share.

#include "nn/options.h"
#include "train/config/config.h"

namespace calque {

LayerOptions layer_options(const ModelConfig& model);

}  // namespace calque
