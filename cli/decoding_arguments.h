#pragma once
// The decoding settings: those of the run's config, overridden by the command line.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "train/tasks/translation/run.h"

namespace calque {

struct DecodingArguments {
  std::vector<std::string> settings;  // of --set
  int64_t beam = 0, n_best = 0;       // 0: not given
};

// The options --beam N and --set decoding.KEY=VALUE.
CLI::Option* add_beam(CLI::App* command, int64_t& beam);
CLI::Option* add_decoding_settings(CLI::App* command, std::vector<std::string>& settings);

// Returns the config's section `decoding` with the values of the command line. --set and --beam are
// checked together, because a --set value may require the value of --beam. A beam narrower than
// `n_best` is widened to it.
DecodingConfig decoding_of(const TranslationRun& run, const DecodingArguments& arguments);

}  // namespace calque
