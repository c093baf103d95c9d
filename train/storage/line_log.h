#pragma once
// Files that grow by a line at a time: metrics.jsonl and train.log. A line that cannot be written,
// on a full disk say, does not end the training: it waits in memory until there is room again.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "train/storage/file_system.h"

namespace calque {

class LineLog {
 public:
  // Opens the file for appending, or makes it. A last line that a crash has torn is ended first.
  LineLog(FileSystem& files, std::string path);
  ~LineLog();
  LineLog(const LineLog&) = delete;
  LineLog& operator=(const LineLog&) = delete;

  // Appends one line, without its line break. Returns what is wrong, when writing begins to fail;
  // and nothing while it goes on failing.
  std::optional<std::string> append(std::string_view line);
  // Puts all lines on the disk, so that no checkpoint is newer than its log. Returns what is wrong.
  std::optional<std::string> sync();
  uint64_t lines_lost() const { return lost_; }  // too many of them waited at once

 private:
  int write_waiting();
  FileSystem& files_;
  std::string path_;
  int file_;
  std::string waiting_;  // whole lines, the first perhaps without its beginning
  uint64_t lost_ = 0;
  bool failing_ = false;
};

// Removes the lines of metrics.jsonl that a run going on from `step` will write again: those whose
// "step" is greater, and a last line without an end. All others keep their bytes.
void cut_back(FileSystem& files, const std::string& path, int64_t step);

}  // namespace calque
