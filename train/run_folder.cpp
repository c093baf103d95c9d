#include "train/run_folder.h"

#include <filesystem>

namespace calque {

std::string default_run_folder(const std::string& config_path) {
  return "runs/" + std::filesystem::path(config_path).stem().string();
}

std::string unused_run_folder(const std::string& path) {
  std::string candidate = path;
  for (int number = 2; std::filesystem::exists(candidate); ++number) {
    candidate = path + "-" + std::to_string(number);
  }
  return candidate;
}

}  // namespace calque
