#include "data/corpora/tagged.h"

#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

#include "core/error.h"
#include "data/files/text_lines.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

constexpr size_t conll_u_columns = 10;

std::vector<std::string> columns_of(const std::string& line) {
  if (line.find('\t') == line.npos) return words_of(line);
  std::istringstream in(line);
  std::vector<std::string> columns;
  for (std::string column; std::getline(in, column, '\t');) columns.push_back(column);
  return columns;
}

bool ends_sentence(std::string_view line) {
  return line.find_first_not_of(" \t") == line.npos || line.starts_with("-DOCSTART-");
}

bool is_conll_u(const TextLines& lines) {
  for (int64_t i = 0; i < lines.count(); ++i) {
    const std::string line = lines.line(i);
    if (ends_sentence(line) || line.starts_with('#')) continue;
    return line.find('\t') != line.npos && columns_of(line).size() == conll_u_columns;
  }
  return false;
}

// Returns the word and its tag, or nothing if the line has no word.
std::optional<std::pair<std::string, std::string>> parse(const std::string& line, bool conll_u,
                                                         const std::string& where) {
  if (conll_u && line.starts_with('#')) return std::nullopt;
  const std::vector<std::string> columns = columns_of(line);
  if (conll_u && columns.size() != conll_u_columns) {
    fail("{}: has {} columns; the first word has ten, as in CoNLL-U", where, columns.size());
  }
  if (conll_u && columns[0].find_first_of("-.") != std::string::npos) return std::nullopt;
  const std::string& word = columns[conll_u ? 1 : 0];
  const std::string& tag = conll_u ? columns[3] : columns.back();
  if (columns.size() < 2 || word.empty() || tag.empty()) {
    fail("{}: must be a word, a tab or a space, and its tag; an empty line ends a sentence", where);
  }
  return std::pair(word, tag);
}

}  // namespace

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

LabelledFile read_tagged_file(const std::string& path, InvalidText invalid) {
  const TextLines lines(path);
  const bool conll_u = is_conll_u(lines);
  LabelledFile file;
  LabelledText sentence;
  bool skip = false;
  const auto end_sentence = [&] {
    if (skip) ++file.skipped;
    if (!skip && !sentence.texts.empty()) file.rows.push_back(std::move(sentence));
    sentence = {};
    skip = false;
  };
  for (int64_t i = 0; i < lines.count(); ++i) {
    const std::string line = lines.line(i);
    const std::string problem = utf8_problem(line);
    if (!problem.empty() && invalid == InvalidText::error) {
      fail("{}: {}; fix the line or set data.invalid_utf8: skip", lines.where(i), problem);
    }
    skip = skip || !problem.empty();
    if (ends_sentence(line)) {
      end_sentence();
    } else if (!skip) {
      auto parsed = parse(line, conll_u, lines.where(i));
      if (!parsed) continue;
      sentence.texts.push_back(std::move(parsed->first));
      sentence.labels.push_back(std::move(parsed->second));
    }
  }
  end_sentence();
  if (file.rows.empty()) fail("{}: has no tagged sentence", path);
  return file;
}

}  // namespace calque
