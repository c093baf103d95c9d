#include "train/config/source.h"

#include <filesystem>

#include "core/error.h"
#include "data/files/file.h"
#include "train/config/built_in.h"

namespace calque {
namespace {

bool has_extension(const std::filesystem::path& path) {
  return path.extension() == ".yaml" || path.extension() == ".yml";
}

bool is_file(const std::string& path) {
  std::error_code unknown;
  const std::filesystem::file_status status = std::filesystem::status(path, unknown);
  return std::filesystem::exists(status) && !std::filesystem::is_directory(status);
}

// Whether the word means a built-in config if there is no such file.
bool may_be_built_in(const std::string& word) {
  return !word.empty() && word.find('/') == word.npos && !has_extension(word);
}

ConfigSource built_in_source(const BuiltInConfig& config) {
  return {"built-in " + std::string(config.name) + ".yaml", std::string(config.text), true};
}

ConfigSource built_in_source(const std::string& name) {
  if (const BuiltInConfig* config = find_built_in_config(name)) return built_in_source(*config);
  const std::string similar = similar_built_in_configs(name);
  fail("{}: no such file, and no built-in config of this name; {}", name,
       similar.empty() ? "'calque config list' lists them" : "similar names: " + similar);
}

ConfigSource file_source(const std::string& path) {
  const std::string stem = std::filesystem::path(path).stem().string();
  if (!is_file(path) && has_extension(path) && find_built_in_config(stem) != nullptr) {
    fail("{}: no such file; the built-in config of this name is called {}", path, stem);
  }
  return {path, read_file(path, largest_config), false};
}

}  // namespace

// A path that cannot be resolved is returned as it is: reading it reports the problem.
std::string ConfigSource::identity() const {
  if (built_in) return name;
  std::error_code unresolved;
  const std::filesystem::path found = std::filesystem::weakly_canonical(name, unresolved);
  return unresolved ? name : found.string();
}

ConfigSource read_config_source(const std::string& path) {
  return may_be_built_in(path) && !is_file(path) ? built_in_source(path) : file_source(path);
}

ConfigSource read_included_source(const std::string& path, const ConfigSource& from) {
  if (from.built_in) return built_in_source(std::filesystem::path(path).stem().string());
  const std::string file = (std::filesystem::path(from.name).parent_path() / path).string();
  return may_be_built_in(path) && !is_file(file) ? built_in_source(path) : file_source(file);
}

}  // namespace calque
