#pragma once
// The settings of rotary positions, which transformers names in two ways: up to version 4
// rope_theta, rope_scaling and rope_local_base_freq, from version 5 on rope_parameters.

#include <nlohmann/json_fwd.hpp>

#include "core/rotation.h"
#include "interop/files/json.h"

namespace calque {

// Reads both. Throws an Error for a scaling that calque does not have.
Rotation read_rotation(const ForeignJson& config);

// Writes the settings of version 4, which version 5 reads too.
void describe_rotation(const Rotation& rotation, nlohmann::ordered_json& config);

}  // namespace calque
