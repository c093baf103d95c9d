#pragma once
// From a YAML file to a Config. Settings come in layers, each over those before: the defaults, the
// files that the file includes, the file itself, and the command line's --set. Within a layer
// `task` and model.preset are applied first, so that keys beside them refine them, while one in a
// later layer replaces what earlier layers said.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "train/config/check.h"
#include "train/config/config.h"

namespace calque {

// The most bytes that a config's file may have, that of a run included, which has every key.
constexpr int64_t largest_config = 1 << 20;

struct LoadedConfig {
  Config config;
  // Where each key that is not at its default was set last: "model.heads" -> "toy.yaml:12".
  std::map<std::string, std::string, std::less<>> origins;
};

// Finds contradictions that only a task knows (train/tasks/registry.h).
using ExtraCheck = std::function<std::vector<Contradiction>(const Config&)>;

// `settings` are those of --set: "training.until=20e". Throws Error with the first thing that is
// wrong, as "file:line: key: what, and what is allowed".
LoadedConfig load_config(const std::string& path, const std::vector<std::string>& settings = {},
                         const ExtraCheck& extra_check = {});

// The same for the config that a run keeps, which names every key: those that a setting has made
// useless are no mistake there.
LoadedConfig load_complete_config(const std::string& path,
                                  const std::vector<std::string>& settings);

// The same for the text of a file, which messages call `name`.
LoadedConfig parse_config(std::string_view text, const std::string& name,
                          const std::vector<std::string>& settings = {},
                          const ExtraCheck& extra_check = {});
LoadedConfig parse_complete_config(std::string_view text, const std::string& name);

// An Error if the config, with every key, is more than a file may have: a run could not read it.
void require_readable(const Config& config);

// Everything that is wrong, one line each; empty for a config that load_config accepts.
std::vector<std::string> config_problems(const std::string& path,
                                         const std::vector<std::string>& settings = {},
                                         const ExtraCheck& extra_check = {});

}  // namespace calque
