#include "data/corpora/labelled_text.h"

#include <algorithm>

#include "core/error.h"
#include "data/files/text_lines.h"
#include "data/text/utf8.h"

namespace calque {

LabelledText parse_labelled_text(std::string_view line, const std::string& where) {
  const std::string problem = utf8_problem(line);
  if (!problem.empty()) fail("{}: {}; fix the line or set data.invalid_utf8: skip", where, problem);
  size_t end = line.find('\t');
  if (end == line.npos) end = line.find(' ');
  if (end == line.npos || end == 0 || end + 1 == line.size()) {
    fail("{}: must be a label, a tab or a space, and a text", where);
  }
  LabelledText row{.texts = {}, .labels = {std::string(line.substr(0, end))}};
  std::string_view rest = line.substr(end + 1);
  while (true) {
    const size_t tab = std::min(rest.find('\t'), rest.size());
    row.texts.emplace_back(rest.substr(0, tab));
    if (tab == rest.size()) break;
    rest.remove_prefix(tab + 1);
  }
  if (row.texts.size() > 2) {
    fail("{}: has {} texts; an example has one or two, after the label", where, row.texts.size());
  }
  return row;
}

LabelledFile read_labelled_file(const std::string& path, InvalidText invalid) {
  const TextLines lines(path);
  LabelledFile file;
  for (int64_t i = 0; i < lines.count(); ++i) {
    const std::string line = lines.line(i);
    if (invalid == InvalidText::skip && find_invalid_utf8(line)) {
      ++file.skipped;
    } else {
      file.rows.push_back(parse_labelled_text(line, lines.where(i)));
    }
  }
  if (file.rows.empty()) fail("{}: no line is valid UTF-8", path);
  return file;
}

}  // namespace calque
