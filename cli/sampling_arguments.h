#pragma once
// Command-line options for sampling.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "decode/search/sampling.h"

namespace calque {

// The options --temperature, --top-k, --top-p, --min-p, --repetition-penalty and --seed.
void add_sampling_options(CLI::App& command, Sampling& sampling);

// The same settings in one option: --sampling top-p=0.9,temperature=0.8.
CLI::Option* add_sampling_option(CLI::App& command, std::optional<Sampling>& sampling);

// Reads the value of --sampling. Throws Error.
Sampling parse_sampling(const std::string& text);

}  // namespace calque
