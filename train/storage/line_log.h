#pragma once
// Files that grow by a line at a time: metrics.jsonl and train.log. A line that cannot be written,
// on a full disk say, does not end the training: it waits in memory until there is room again. Nor
// does a file that cannot be opened: every line tries again.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "train/storage/file_system.h"

namespace calque {

class LineLog {
 public:
  // Opens the file for appending, or makes it; what fails is told by the first line. A last line
  // that a crash has torn is ended first.
  LineLog(FileSystem& files, std::string path);
  ~LineLog();
  LineLog(const LineLog&) = delete;
  LineLog& operator=(const LineLog&) = delete;

  // Each returns what is wrong when something begins to fail, and nothing while it goes on failing.

  // Appends one line, without its line break.
  std::optional<std::string> append(std::string_view line);
  // Puts all lines on the disk, so that no checkpoint is newer than its log.
  std::optional<std::string> sync();
  // The end: a file system may say only here that it could not keep the lines. Returns what is
  // wrong however long it has been so, with the number of lines that are not in the file. A line
  // that is appended afterwards opens the file again.
  std::optional<std::string> close();

  // Those not in the file: they wait, or were too many to wait at once.
  uint64_t lines_lost() const;

 private:
  void open();
  void write_waiting();
  template <class Action>
  std::optional<std::string> attempt(Action&& action);
  FileSystem& files_;
  std::string path_;
  int file_ = -1;        // while it is not open
  std::string waiting_;  // whole lines, the first perhaps without its beginning
  bool torn_ = false;    // but it begins with the break that ends a torn line
  uint64_t lost_ = 0;
  bool failing_ = false;
  std::optional<std::string> untold_;  // what was wrong when the log was made
};

// Removes the lines of metrics.jsonl that a run going on from `step` will write again: those whose
// "step" is greater, with `validation_owed` also the validation of that step, and a last line
// without an end. All others keep their bytes.
void cut_back(FileSystem& files, const std::string& path, int64_t step,
              bool validation_owed = false);

}  // namespace calque
