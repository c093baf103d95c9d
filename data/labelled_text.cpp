#include "data/labelled_text.h"

#include <algorithm>

#include "core/error.h"
#include "data/text_lines.h"
#include "data/utf8.h"

namespace calque {

LabelledText parse_labelled_text(std::string_view line, const std::string& where) {
  const std::string problem = utf8_problem(line);
  if (!problem.empty()) fail("{}: {}", where, problem);
  size_t end = line.find('\t');
  if (end == line.npos) end = line.find(' ');
  if (end == line.npos || end == 0 || end + 1 == line.size()) {
    fail("{}: must be a label, a tab or a space, and a text", where);
  }
  LabelledText row{.label = std::string(line.substr(0, end)), .texts = {}};
  std::string_view rest = line.substr(end + 1);
  while (true) {
    const size_t tab = std::min(rest.find('\t'), rest.size());
    row.texts.emplace_back(rest.substr(0, tab));
    if (tab == rest.size()) break;
    rest.remove_prefix(tab + 1);
  }
  if (row.texts.size() > 2) {
    fail("{}: has {} texts; an example has one or two, behind the label", where, row.texts.size());
  }
  return row;
}

std::vector<LabelledText> read_labelled_texts(const std::string& path) {
  const TextLines lines(path);
  std::vector<LabelledText> rows;
  for (int64_t i = 0; i < lines.count(); ++i) {
    rows.push_back(parse_labelled_text(lines.line(i), lines.where(i)));
  }
  return rows;
}

}  // namespace calque
