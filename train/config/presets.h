#pragma once
// The keys that set other keys: `task` sets the usual options of a task (tasks.h), model.preset the
// size of the model, and model.kind: rnn and model.init_from the optimizer (keys/model.cpp). Each
// layer of settings applies them first, so its other keys override them.

#include "train/config/config.h"

namespace calque {

// Sets the keys below to the values of model.preset. Preset::none changes nothing.
void apply_preset(ModelConfig& model);

// The keys that a preset other than none sets.
inline constexpr std::string_view preset_keys[] = {
    "model.d_model",        "model.d_ff",           "model.heads",  "model.layers",
    "model.encoder_layers", "model.decoder_layers", "model.dropout"};
// The end of the origin of a key that a preset has set: "toy.yaml:12, preset".
inline constexpr std::string_view preset_mark = ", preset";

// Returns a rate that suits a model of this size, whatever training.learning_rate is: for Muon 0.01
// up to a d_model of 128 and from 8,192 tokens per update on. It is inversely proportional to a
// larger d_model, and proportional to the square root of a smaller number of tokens per update. For
// other optimizers it is half of that.
double usual_learning_rate(const Config& config);

// Returns training.learning_rate, or the usual rate if that is 0.
double peak_learning_rate(const Config& config);

}  // namespace calque
