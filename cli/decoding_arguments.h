#pragma once
// The options that override the decoding settings of a run's config.

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "train/tasks/translation/decoding.h"

namespace calque {

// The options --beam N and --set decoding.KEY=VALUE.
CLI::Option* add_beam(CLI::App* command, int64_t& beam);
// The options --mbr N and --mbr-metric NAME.
std::array<CLI::Option*, 2> add_minimum_risk(CLI::App* command, DecodingChoice& decoding);
CLI::Option* add_decoding_settings(CLI::App* command, std::vector<std::string>& settings);

}  // namespace calque
