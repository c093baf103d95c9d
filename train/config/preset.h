#pragma once
// The sizes of model that go by a name.

#include "train/config/config.h"

namespace calque {

// The keys that a preset sets.
inline constexpr std::string_view preset_keys[] = {
    "model.d_model",        "model.d_ff",           "model.heads",  "model.layers",
    "model.encoder_layers", "model.decoder_layers", "model.dropout"};
// Behind the place of a key that a preset has set.
inline constexpr std::string_view preset_mark = ", preset";

// Sets what model.preset names; Preset::none changes nothing.
void apply_preset(ModelConfig& model);

}  // namespace calque
