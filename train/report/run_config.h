#pragma once
// A config file as a flat list of `section.key` and its text, for comparing runs side by side. It
// knows nothing of the schema: a run made by another version is compared all the same.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace calque {

using FlatConfig = std::vector<std::pair<std::string, std::string>>;

// In the order of the file. Lists become one value, [a, b]; a value longer than a line is cut.
// Throws Error when the file is not YAML.
FlatConfig read_flat_config(const std::filesystem::path& file);

struct ConfigRow {
  std::string key;
  std::vector<std::string> values;  // one a run; empty where the run lacks the key
  bool differs = false;
};

// Every key of any of the configs, in the order of first appearance. A run without a config at all
// (an empty one) takes no part in the question whether values differ.
std::vector<ConfigRow> compare_configs(const std::vector<const FlatConfig*>& configs);

}  // namespace calque
