#pragma once
// Texts with a label, for classification. A line of a file is a label, a separator and a text;
// another tab separates a second text. The separator is the first tab, or the first space in a line
// without tabs.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/filters.h"

namespace calque {

struct LabelledText {
  std::string label;
  std::vector<std::string> texts;  // one or two

  bool operator==(const LabelledText&) const = default;
};

struct LabelledFile {
  std::vector<LabelledText> rows;
  int64_t skipped = 0;  // lines that are not UTF-8
};

// Throws an Error for a file that cannot be read or has no row, and an Error that names the line
// for a line without a label or a text, with more than two texts, or not in UTF-8 (unless it is
// skipped).
LabelledFile read_labelled_file(const std::string& path, InvalidText invalid = InvalidText::error);

// Parses one line; `where` names it in errors.
LabelledText parse_labelled_text(std::string_view line, const std::string& where);

}  // namespace calque
