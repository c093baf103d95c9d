#pragma once
// The classes of a run, which keeps their names in RUN/labels.txt, and the examples of each.

#include <set>
#include <string>
#include <vector>

#include "data/batches/stream.h"
#include "train/task.h"

namespace calque {

// The classes, sorted by name; a class is its index.
using Labels = std::vector<std::string>;

// `noun` is the word for an example in messages. Throws an Error for fewer than two classes, which
// begins with `place`.
Labels two_labels_or_more(const std::set<std::string>& labels, const std::string& place,
                          const std::string& noun);

inline constexpr SideFile labels_file = {&RunFolder::labels, "labels differ from those",
                                         "checkpoints with one list of labels"};

// The fix for a damaged file of the run that training writes.
inline constexpr const char* written_again =
    "resume the run with calque train, which writes it again from the data";

// A file with the same labels is not written again.
void save_labels(const Labels& labels, const RunFolder& run);
// Throws an Error if the file is missing, or is not a sorted list of two labels or more.
Labels load_labels(const RunFolder& run);

// Whether a run writes what it has found in its data. A resumed run does so only if its data is
// that of the checkpoint.
bool writes_findings(const TaskStart& start, const std::string& data_hash);

// The classes of a set of examples.
struct ClassedExamples {
  std::string noun = "example";
  std::vector<SharedRange> parts;
  std::vector<int32_t> labels;  // [examples]
  std::vector<int64_t> counts;  // [classes]
  uint64_t hash = 0;

  int64_t count() const { return std::ssize(labels); }
  // The index of the part that an example is in.
  size_t part_of(int64_t example) const;
  // "questions.txt, example 17"
  std::string where(int64_t example) const;

  // Adds an example to the last part, and returns its class. Throws an Error for a label that is
  // not among `known`.
  int32_t add(const std::string& label, const Labels& known);
};

}  // namespace calque
