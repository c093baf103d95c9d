#pragma once
// Texts made from the schema: the resolved YAML of a config, as saved with a run, the differences
// between two configs, and the reference of all keys.

#include <string>
#include <vector>

#include "train/config/config.h"
#include "train/config/schema.h"

namespace calque {

enum class Comments { none, meanings };

// Every key that has an effect, with its value. parse_config reads it as an equal Config.
std::string show_config(const Config& config, Comments comments = Comments::none);

struct ConfigDifference {
  std::string key;
  std::string before;  // as YAML; "not used" if the key has no effect with the other settings
  std::string now;
  OnResume on_resume;
};

// In the order of the schema.
std::vector<ConfigDifference> config_differences(const Config& earlier, const Config& later);

// The text of docs/config.md.
std::string config_reference();

}  // namespace calque
