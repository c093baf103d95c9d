#pragma once
// Files that grow line by line: metrics.jsonl and train.log. A line that cannot be written, for
// example on a full disk, does not end training: it waits in memory, and each later line tries
// again to open the file and to write.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "train/storage/file_system.h"

namespace calque {

class LineLog {
 public:
  // Opens or creates the file; the first append() reports a failure. Adds the line break to a last
  // line that a crash has cut short.
  LineLog(FileSystem& files, std::string path);
  ~LineLog();
  LineLog(const LineLog&) = delete;
  LineLog& operator=(const LineLog&) = delete;

  // Each returns the problem when writing begins to fail, and nothing while it continues to fail.

  // Appends one line, without its line break.
  std::optional<std::string> append(std::string_view line);
  // Syncs all lines to the disk, so that no checkpoint is newer than its log.
  std::optional<std::string> sync();
  // Closes the file, which may be the first call to fail. Returns any problem, even if it has been
  // returned before, with the number of lost lines. A later append() opens the file again.
  std::optional<std::string> close();

  // The number of lines not in the file: waiting, or dropped because too many were waiting.
  uint64_t lines_lost() const;

 private:
  void open();
  void write_waiting();
  template <class Action>
  std::optional<std::string> attempt(Action&& action);
  FileSystem& files_;
  std::string path_;
  int file_ = -1;        // -1: not open
  std::string waiting_;  // lines, the first perhaps without its beginning
  bool torn_ = false;    // waiting_ begins with the break that ends a torn line
  uint64_t lost_ = 0;
  bool failing_ = false;
  std::optional<std::string> untold_;  // the constructor's problem, not yet returned
};

// Removes the lines of metrics.jsonl that a run resumed at `step` will write again: those with a
// greater "step", with `validation_owed` also the validation of that step, and an unfinished last
// line. The other lines are unchanged.
void cut_back(FileSystem& files, const std::string& path, int64_t step,
              bool validation_owed = false);

}  // namespace calque
