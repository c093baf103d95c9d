#pragma once
// Texts with labels. For classification, a line of a file is a label, a separator and a text;
// another tab separates a second text. The separator is the first tab, or the first space in a line
// without tabs. For tagging, see data/corpora/tagged.h.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/corpora/filters.h"

namespace calque {

struct LabelledText {
  std::vector<std::string> texts;   // one or two, or the words of a sentence
  std::vector<std::string> labels;  // one, or one for each word

  bool operator==(const LabelledText&) const = default;
};

struct LabelledFile {
  std::vector<LabelledText> rows;
  int64_t skipped = 0;  // lines or sentences that are not UTF-8
};

// Throws an Error if the file cannot be read or no row is left. Throws an Error that names the line
// if the line has no label, nothing after it, or more than two texts, or is not UTF-8 and `invalid`
// is not `skip`.
LabelledFile read_labelled_file(const std::string& path, InvalidText invalid = InvalidText::error);

// Parses one line; `where` names it in errors.
LabelledText parse_labelled_text(std::string_view line, const std::string& where);

}  // namespace calque
