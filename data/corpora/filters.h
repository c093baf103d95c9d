#pragma once
// Which examples a run drops. A dropped example has one reason; a tally has the number of examples
// of each reason and the place of the first one.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/named.h"

namespace calque {

enum class Drop { none, empty, invalid, too_long, ratio, duplicate, nul };
inline constexpr int drop_kinds = 7;

enum class InvalidText { error, skip };
inline constexpr Named<InvalidText> invalid_texts[] = {{"error", InvalidText::error},
                                                       {"skip", InvalidText::skip}};

struct FilterOptions {
  int32_t max_length = 256;                  // tokens of any column, without </s>; 0: no limit
  double max_length_ratio = 0;               // longest / shortest column, in tokens; 0: no limit
  bool drop_duplicates = false;              // drop examples that equal an earlier one
  InvalidText invalid = InvalidText::error;  // for text that is not UTF-8
};

// For validation and test: drops only empty texts, invalid texts (also those with a NUL) and lines
// above longest_line.
inline FilterOptions only_invalid_dropped(InvalidText invalid) {
  return {.max_length = 0, .invalid = invalid};
}

// Why an example is dropped, and the column that caused it.
struct Verdict {
  Drop drop = Drop::none;
  int column = 0;
};

// Drop::none, or the first reason not to read the text: Drop::invalid (not UTF-8) or nul.
Drop check_text(std::string_view text);

// Judges by the lengths of the columns: Drop::none, empty, too_long or ratio.
Verdict check_lengths(std::span<const int64_t> lengths, const FilterOptions& options);

struct DropTally {
  struct Reason {
    int64_t count = 0;
    std::string first;  // place of the first example
    bool operator==(const Reason&) const = default;
  };
  std::array<Reason, drop_kinds> reasons;  // indexed by Drop; the first is unused

  void add(Drop reason, const std::string& where);
  int64_t total() const;
  const Reason& of(Drop reason) const { return reasons[static_cast<int>(reason)]; }
  bool operator==(const DropTally&) const = default;

  // "12 too long (first: train.en:17), 3 with an empty side (first: train.de:40)", or "none".
  // Examples of one column have no sides: "3 empty".
  std::string text(int columns = 2) const;
};

}  // namespace calque
