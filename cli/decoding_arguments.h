#pragma once
// How to decode: the run's config, overridden by the command line.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "train/tasks/translation/translation_run.h"

namespace calque {

struct DecodingArguments {
  std::vector<std::string> settings;  // of --set
  int64_t beam = 0, n_best = 0;       // 0: not given
};

// The options --beam N and --set decoding.KEY=VALUE.
CLI::Option* add_beam(CLI::App* command, int64_t& beam);
CLI::Option* add_decoding_settings(CLI::App* command, std::vector<std::string>& settings);

// The config's section with the command line's values, checked as a whole: a setting may need the
// beam of an option. An n_best wider than the beam widens it.
DecodingConfig decoding_of(const TranslationRun& run, const DecodingArguments& arguments);

}  // namespace calque
