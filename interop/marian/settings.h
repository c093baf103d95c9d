#pragma once
// The settings of a model of Marian: the YAML in its .npz file, or its .decoder.yml.

#include <string>
#include <string_view>

#include "interop/files/json.h"
#include "train/config/config.h"

namespace calque {

// The names of the activations that Marian has.
inline constexpr Named<Activation> marian_activations[] = {{"relu", Activation::relu},
                                                           {"swish", Activation::silu}};

// Parses a map of YAML. `place` is for messages.
ForeignJson marian_settings(std::string_view text, const std::string& place);

// Reads the sizes and the kind of a Transformer, but not which of its tables are tied. Throws an
// Error for a model that calque cannot represent.
void read_marian_model(const ForeignJson& settings, ModelConfig& to);

}  // namespace calque
