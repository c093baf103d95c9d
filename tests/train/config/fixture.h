#pragma once
// What the tests of the config share: a small config, parsing it with more text, and a folder for
// config files.

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/error.h"
#include "support/message_of.h"
#include "train/config/load.h"
#include "train/tasks/registry.h"

namespace calque {

inline const std::string small_config = "data:\n  train: {toy: copy}\n";

// The message of the error of parsing the small config followed by `text`; empty if there is none.
inline std::string config_error(const std::string& text, const std::vector<std::string>& set = {}) {
  return message_of([&] { parse_config(small_config + text, "c.yaml", set, task_contradictions); });
}

inline Config parsed(const std::string& text, const std::vector<std::string>& set = {}) {
  return parse_config(small_config + text, "c.yaml", set).config;
}

// A folder of files, removed by the destructor.
class ConfigFolder {
 public:
  ConfigFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "calque-config-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~ConfigFolder() { std::filesystem::remove_all(path_); }
  ConfigFolder(const ConfigFolder&) = delete;
  ConfigFolder& operator=(const ConfigFolder&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    const auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.string();
  }

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace calque
