#pragma once
// The configs of the folder configs/, which are part of the program. They are named as their files,
// without .yaml: calque train toy.

#include <span>
#include <string>
#include <string_view>

namespace calque {

struct BuiltInConfig {
  std::string_view name, text;
};

extern const std::span<const BuiltInConfig> built_in_configs;

// Null if there is none of this name.
const BuiltInConfig* find_built_in_config(std::string_view name);

// The first sentence of the comment at the top of a config.
std::string config_summary(std::string_view text);

// Names of built-in configs for one that does not exist: those that begin with it or, if there are
// none, the nearest. Empty if none is near.
std::string similar_built_in_configs(std::string_view name);

}  // namespace calque
