#pragma once
// Reads a Config from a YAML file or a built-in config. Settings come in layers, each of which
// overrides those before: the defaults, the included files, the file itself, and --set on the
// command line. Within a layer, `task`, model.preset and model.kind are applied first, in this
// order, and the other keys override them.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "train/config/checks/check.h"
#include "train/config/config.h"
#include "train/config/source.h"

namespace calque {

struct LoadedConfig {
  Config config;
  // The place of the last setting of each key that was set: "model.heads" -> "toy.yaml:12".
  std::map<std::string, std::string, std::less<>> origins;
};

// Finds contradictions that only the task can know (train/tasks/registry.h).
using ExtraCheck = std::function<std::vector<Contradiction>(const Config&)>;

// `path` may be the name of a built-in config (source.h). `settings` are those of --set:
// "training.until=20e". Throws an Error with the first problem, as
// "file:line: key: what is wrong, and what is allowed".
LoadedConfig load_config(const std::string& path, const std::vector<std::string>& settings = {},
                         const ExtraCheck& extra_check = {});

// The same for the config in a run's folder. The file may have keys without effect, and may lack
// data.train, because an imported run has none.
LoadedConfig load_complete_config(const std::string& path,
                                  const std::vector<std::string>& settings);

// The same for a text, which messages call `name`.
LoadedConfig parse_config(std::string_view text, const std::string& name,
                          const std::vector<std::string>& settings = {},
                          const ExtraCheck& extra_check = {});
LoadedConfig parse_complete_config(std::string_view text, const std::string& name);

// Throws an Error if the text of show_config() exceeds largest_config: it could not be read again.
void require_readable(const Config& config);

// All problems, one line each; empty for a config that load_config accepts.
std::vector<std::string> config_problems(const std::string& path,
                                         const std::vector<std::string>& settings = {},
                                         const ExtraCheck& extra_check = {});

}  // namespace calque
