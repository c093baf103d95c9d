#pragma once
// Files that grow line by line: metrics.jsonl and train.log. A line that cannot be written, for
// example on a full disk, does not end training: it waits in memory, and each later call tries
// again to open the file and to write. While 8 MiB wait, new lines are dropped.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "train/storage/file_system.h"

namespace calque {

class LineLog {
 public:
  // Opens or creates the file; the first append() returns a failure. If a crash has cut the last
  // line short, the next write begins with the missing line break.
  LineLog(FileSystem& files, std::string path);
  ~LineLog();
  LineLog(const LineLog&) = delete;
  LineLog& operator=(const LineLog&) = delete;

  // append() and sync() return a problem only if the call before had none.

  // Writes the waiting lines and this one, which is given without its line break.
  std::optional<std::string> append(std::string_view line);
  // Writes the waiting lines and syncs the file, so that no checkpoint is newer than its log.
  std::optional<std::string> sync();
  // Writes the waiting lines and closes the file. Returns a problem even if an earlier call has
  // returned it, and adds the number of lines that are not in the file. A later append() opens the
  // file again.
  std::optional<std::string> close();

  // The number of lines that wait or were dropped.
  uint64_t lines_missing() const;

 private:
  void open();
  void write_waiting();
  template <class Action>
  std::optional<std::string> attempt(Action&& action);
  FileSystem& files_;
  std::string path_;
  int file_ = -1;        // -1: not open
  std::string waiting_;  // lines; the beginning of the first may already be in the file
  bool torn_ = false;    // waiting_ begins with the line break that the file's last line lacks
  uint64_t dropped_ = 0;
  bool failing_ = false;                            // the last call had a problem
  std::optional<std::string> constructor_problem_;  // until append() returns it
};

// Removes the lines of metrics.jsonl that a run resumed at `step` writes again: those with a
// greater "step" and, with `validation_owed`, the validation at `step`, its findings and
// predictions. Also removes an incomplete last line.
void cut_back(FileSystem& files, const std::string& path, int64_t step,
              bool validation_owed = false);

}  // namespace calque
