#pragma once
// A config file as a flat list of `section.key` and value, to compare runs. It does not use the
// schema, so runs of other versions can be compared.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace calque {

using FlatConfig = std::vector<std::pair<std::string, std::string>>;

// In the order of the file. A list is one value, [a, b]; long values are cut. Throws an Error if
// the file cannot be read or is not YAML.
FlatConfig read_flat_config(const std::filesystem::path& file);

struct ConfigRow {
  std::string key;
  std::vector<std::string> values;  // one for each run; empty if the run lacks the key
  bool differs = false;
};

// All keys of the configs, in the order of first appearance. Empty configs are ignored when values
// are compared.
std::vector<ConfigRow> compare_configs(const std::vector<const FlatConfig*>& configs);

}  // namespace calque
