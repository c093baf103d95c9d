#pragma once
// The settings that set others: `task` the usual options of a task, model.preset the size of the
// model, model.kind: rnn the number of its encoder's layers. They are applied before the other keys
// of their layer, which override them.

#include "train/config/config.h"

namespace calque {

void apply_task(Config& config);

// Preset::none changes nothing.
void apply_preset(ModelConfig& model);

// The keys that a preset sets.
inline constexpr std::string_view preset_keys[] = {
    "model.d_model",        "model.d_ff",           "model.heads",  "model.layers",
    "model.encoder_layers", "model.decoder_layers", "model.dropout"};
// Follows the place of a key that a preset has set.
inline constexpr std::string_view preset_mark = ", preset";

// training.learning_rate, or the default where it is 0: 0.005 for a d_model of 128 and 8,192 tokens
// an update; less in inverse proportion for wider models, and with the square root for smaller
// batches.
double peak_learning_rate(const Config& config);

}  // namespace calque
