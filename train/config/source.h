#pragma once
// Where the text of a config comes from: a file, or a config that is part of the program. A word
// without / and .yaml that is not a file names a built-in one.

#include <cstdint>
#include <string>

namespace calque {

// The largest size of a config file in bytes, also of the one in a run, which includes defaults.
constexpr int64_t largest_config = 1 << 20;

struct ConfigSource {
  std::string name;  // in messages: "configs/toy.yaml", or "built-in toy.yaml"
  std::string text;
  bool built_in = false;

  // Equal for two names of one file.
  std::string identity() const;
};

// Both throw Error if there is no such config.
ConfigSource read_config_source(const std::string& path);
// The config that `from` includes as `path`: a file beside it, or a built-in one.
ConfigSource read_included_source(const std::string& path, const ConfigSource& from);

}  // namespace calque
