#pragma once
// Text read and written line by line, from and to files or the standard streams.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "core/named.h"
#include "data/files/text_lines.h"

namespace calque {

// What LineInput does with a line that is not well-formed UTF-8 or has a NUL:
//   error    throws Error
//   replace  each byte that begins no character becomes U+FFFD
//   skip     the line becomes empty
enum class InvalidLine { error, replace, skip };
inline constexpr Named<InvalidLine> invalid_lines[] = {
    {"error", InvalidLine::error}, {"replace", InvalidLine::replace}, {"skip", InvalidLine::skip}};

// The option --invalid-utf8.
CLI::Option* add_invalid_utf8(CLI::App* command, InvalidLine& invalid);

// Reads standard input, a file or a named pipe line by line as data arrives, or a gzip or
// zstd file. A
// byte-order mark at the start and the CR before a line end are skipped.
class LineInput {
 public:
  // Standard input if `file` is empty.
  explicit LineInput(const std::string& file, InvalidLine invalid = InvalidLine::error);

  // Returns false at the end of the input, after a note on the invalid lines. Throws Error if the
  // input cannot be read.
  bool next(std::string& line);

  int64_t count() const { return count_; }  // lines read
  // Of the last line read: LF, CR LF, or empty at the end of a file.
  const std::string& line_end() const { return line_end_; }
  const std::string& name() const { return name_; }
  std::string where() const;  // "test.de:17", the last line read

 private:
  bool read(std::string& line);
  void check(std::string& line);
  void note_invalid();

  std::string name_;
  InvalidLine invalid_;
  int64_t invalid_count_ = 0;
  std::string first_invalid_;
  std::ifstream file_;
  std::optional<TextLines> packed_;
  int64_t count_ = 0;
  std::string line_end_;
};

// Calls use(values) for blocks of the values of standard input's lines, value_of(line, input),
// until its end.
template <class ValueOf, class Use>
void for_lines_of_input(InvalidLine invalid, ValueOf value_of, Use use) {
  constexpr size_t lines_at_once = 256;
  LineInput input("", invalid);
  std::string line;
  std::vector<decltype(value_of(line, input))> values;
  while (input.next(line)) {
    values.push_back(value_of(line, input));
    if (values.size() < lines_at_once) continue;
    use(values);
    values.clear();
  }
  use(values);
}

// Each write is flushed. A failed one throws Error, or BrokenPipe if the reader of standard output
// has closed it.
class LineOutput {
 public:
  // Standard output if `file` is empty. A file whose name ends in .gz is written as gzip.
  explicit LineOutput(const std::string& file);
  void write(const std::string& text);

 private:
  std::string name_;
  std::ofstream file_;
};

}  // namespace calque
