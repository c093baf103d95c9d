#pragma once
// A run's folder for the files of one test, removed by the destructor.

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "train/report/run_metrics.h"
#include "train/tasks/registry.h"

namespace calque::tests {

class TemporaryRun {
 public:
  explicit TemporaryRun(const std::string& name = "run") {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "calque-report-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    root_ = pattern;
    folder_ = root_ / name;
    std::filesystem::create_directories(folder_);
  }
  ~TemporaryRun() { std::filesystem::remove_all(root_); }
  TemporaryRun(const TemporaryRun&) = delete;
  TemporaryRun& operator=(const TemporaryRun&) = delete;

  const std::filesystem::path& root() const { return root_; }
  const std::filesystem::path& folder() const { return folder_; }

  void write(const std::string& file, std::string_view text) const {
    std::ofstream(folder_ / file, std::ios::binary) << text;
  }
  std::string read(const std::string& file) const { return read_bytes(folder_ / file); }
  ReportRun run(std::string_view metrics) const {
    write("metrics.jsonl", metrics);
    return read_run(folder_, all_metrics());
  }

  static std::string read_bytes(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::filesystem::path root_, folder_;
};

}  // namespace calque::tests
