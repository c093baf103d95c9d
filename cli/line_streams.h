#pragma once
// Text read and written line by line, from and to files or the standard streams.

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

#include "data/files/text_lines.h"

namespace calque {

// Reads standard input, a file or a named pipe line by line as data arrives, or a gzip file. A
// byte-order mark at the start and the CR before a line end are skipped.
class LineInput {
 public:
  // Standard input if `file` is empty.
  explicit LineInput(const std::string& file);

  // Returns false at the end of the input. Throws Error if the input cannot be read.
  bool next(std::string& line);

  int64_t count() const { return count_; }  // lines read
  const std::string& name() const { return name_; }
  std::string where() const;  // "test.de:17", the last line read

 private:
  std::string name_;
  std::ifstream file_;
  std::optional<TextLines> gzip_;
  int64_t count_ = 0;
};

// Each write is flushed. A failed one throws Error, or BrokenPipe if the reader of standard output
// has closed it.
class LineOutput {
 public:
  // Standard output if `file` is empty.
  explicit LineOutput(const std::string& file);
  void write(const std::string& text);

 private:
  std::string name_;
  std::ofstream file_;
};

}  // namespace calque
