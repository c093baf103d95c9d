#pragma once
// Collects examples into a dataset: writes their ids, counts what is kept and what is dropped.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "data/dataset.h"
#include "data/dataset_notes.h"

namespace calque {

class DatasetPreparation {
 public:
  DatasetPreparation(TokenWriter writer, int columns, std::string noun, bool drop_duplicates)
      : writer_(std::move(writer)), noun_(std::move(noun)), drop_duplicates_(drop_duplicates) {
    notes_.sizes.resize(static_cast<size_t>(columns));
  }

  // Starts a part of so many lines.
  void begin_part(const std::string& name, int64_t lines);

  // The next example, line `line` of the part: its texts and ids by column.
  void keep(std::span<const std::string_view> texts, std::span<const std::span<const int32_t>> ids,
            int64_t line);
  void drop(Drop reason, const std::string& where) { notes_.drops.add(reason, where); }

  // Whether it is to be dropped as a duplicate: its texts occurred before, and the options say so.
  bool is_duplicate(std::span<const std::string_view> texts);

  // Throws an Error if no example was kept.
  Dataset finish();

 private:
  TokenWriter writer_;
  std::string noun_;
  bool drop_duplicates_;
  DatasetNotes notes_;
  HashSet seen_;
};

// Throws an Error for a weight that is not above 0.
void require_weight(const CorpusShare& share, const std::string& name);

// The plural of what messages call an example: "pairs".
inline std::string plural(const std::string& noun) { return noun + "s"; }

}  // namespace calque
