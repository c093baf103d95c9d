#pragma once
// How to decode: as the run's config says, with what the command line says over it.

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

// The config's section, checked only once the command line's values are in it: a beam that the
// options give may be what makes a setting possible. A wide n_best widens the beam.
DecodingConfig decoding_of(const TranslationRun& run, const DecodingArguments& arguments);

}  // namespace calque
