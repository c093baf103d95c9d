#include "train/storage/run_folder.h"

#include <filesystem>

namespace calque {

std::string default_run_folder(const std::string& config_path) {
  return "runs/" + std::filesystem::path(config_path).stem().string();
}

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

std::string unused_run_folder(const std::string& path) {
  const std::string plain = without_slash(path);
  std::string candidate = plain;
  for (int number = 2; std::filesystem::exists(candidate); ++number) {
    candidate = plain + "-" + std::to_string(number);
  }
  return candidate;
}

}  // namespace calque
