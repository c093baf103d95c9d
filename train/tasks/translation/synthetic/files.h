#pragma once
// The files of a synthetic corpus (train/tasks/translation/synthetic/corpus.h).

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "train/tasks/translation/synthetic/corpus.h"

namespace calque {

// Consecutive lines of the input, translated.
struct SyntheticPart {
  SyntheticCounts counts;
  std::vector<std::pair<std::string, std::string>> pairs;  // source and target
};

class SyntheticFiles {
 public:
  // `path` is that of all files without their endings.
  explicit SyntheticFiles(std::string path) : path_(std::move(path)) {}

  AlignedFiles pairs() const { return {{path_ + ".source", path_ + ".target"}}; }
  // The counts of a complete corpus; nothing if it is not complete or its files are damaged.
  std::optional<SyntheticCounts> complete() const;

  // A part that was written; nothing if it is missing or damaged.
  std::optional<SyntheticPart> part(int64_t number) const;
  void write(int64_t number, const SyntheticPart& part) const;
  // Joins that many parts, all of which were written, to a complete corpus and removes them.
  SyntheticCounts join(int64_t parts) const;

 private:
  std::string part_path(int64_t number) const;

  std::string path_;
};

}  // namespace calque
