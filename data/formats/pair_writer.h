#pragma once
// Writes pairs of texts, each of one line:
//   NAME.tsv   source, tab, target
//   NAME.tmx   a translation memory of the two languages
//   PREFIX     two files of lines, PREFIX and the suffix of each
// The files appear when they are complete.

#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/file.h"
#include "data/formats/pairs.h"

namespace calque {

struct PairTarget {
  std::string to;
  std::array<std::string, 2> suffixes = {".source", ".target"};
  PairLanguages languages = {};  // of a translation memory

  // The file or files.
  std::vector<std::string> paths() const;
};

class PairWriter {
 public:
  // Throws an Error for a translation memory without languages.
  explicit PairWriter(const PairTarget& target);

  // Tabs become spaces in a table, characters that XML cannot hold in a translation memory.
  void add(std::string_view source, std::string_view target);
  void finish();

 private:
  enum class Kind { lines, table, memory };
  void append(size_t file, std::string_view text);

  Kind kind_;
  PairLanguages languages_;
  std::deque<NewFile> files_;  // which do not move
  std::array<std::string, 2> waiting_;
};

}  // namespace calque
