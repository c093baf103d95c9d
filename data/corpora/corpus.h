#pragma once
// A corpus of aligned texts: rows with one text per column, from line-aligned files, from columns
// of a TSV file, from a file of translators, or from memory. An error about a row names file and
// line.

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "data/corpora/share.h"
#include "data/files/text_lines.h"

namespace calque {

using Row = std::vector<std::string>;  // one text per column

struct AlignedFiles {
  std::vector<std::string> paths;  // one file per column
};

struct TsvFile {
  std::string path;
  std::vector<int> columns = {1, 2};  // the field of each column, counting from 1
};

// A file of translators, such as a .po or .tmx (data/formats/pairs.h).
struct FileOfPairs {
  std::string path;
  std::vector<std::string> languages;  // source and target
  bool turned = false;                 // whether the target is the first column
};

struct RowsInMemory {
  std::string name;  // for messages
  std::shared_ptr<const std::vector<Row>> rows;
};

struct CorpusSource {
  std::variant<AlignedFiles, TsvFile, FileOfPairs, RowsInMemory> place;
  CorpusShare share = {};
  // Of a dataset in several languages: those of the corpus, such as "en-de", and the token that a
  // dataset puts before each text of the first column.
  std::string pair = {}, mark = {};
};

// PREFIX.LANGUAGE for each language, or the same with .gz or .zst.
AlignedFiles files_of_prefix(const std::string& prefix, const std::vector<std::string>& languages);

RowsInMemory in_memory(std::string name, std::vector<Row> rows);
// Two columns from pairs of strings. (A template, so that a list in braces means rows.)
template <std::same_as<std::vector<std::pair<std::string, std::string>>> Pairs>
RowsInMemory in_memory(std::string name, Pairs pairs) {
  std::vector<Row> rows(pairs.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].push_back(std::move(pairs[i].first));
    rows[i].push_back(std::move(pairs[i].second));
  }
  return in_memory(std::move(name), std::move(rows));
}

// The corpus with its two columns exchanged.
CorpusSource turned(CorpusSource source);

// Throws an Error if a file of the corpus cannot be opened; reads nothing.
void require_files(const CorpusSource& source);

// The files, such as "train.en + train.de", or the name of rows in memory.
std::string name_of(const CorpusSource& source);

// A hash of the content and the mark. Files are hashed as stored.
uint64_t content_hash(const CorpusSource& source);

// Consecutive rows. The lines point into `bytes`, or into the corpus.
struct RowBlock {
  int columns = 0;
  std::vector<Line> lines = {};  // [rows, columns]
  std::vector<std::vector<char>> bytes = {};

  int64_t rows() const { return columns == 0 ? 0 : std::ssize(lines) / columns; }
  std::span<const Line> row(int64_t index) const {
    return std::span(lines).subspan(index * columns, static_cast<size_t>(columns));
  }
};

class Corpus {
 public:
  // Throws an Error for a file that cannot be read or is empty, and for files of unequal length.
  explicit Corpus(const CorpusSource& source);

  const std::string& name() const { return name_; }
  int columns() const;
  int64_t size() const;

  // Rows from `first` on: at most `rows` with about `bytes` of text per file, but at least one. For
  // rows in memory, `bytes` is ignored. The texts are not checked. Throws an Error for a TSV line
  // that lacks a column.
  RowBlock read(int64_t first, int64_t rows, int64_t bytes) const;

  // "train.de:17".
  std::string where(int64_t index, int column) const;

 private:
  std::string name_;
  std::vector<TextLines> files_;  // one for each column, or a TSV file
  std::vector<int> fields_;       // of a TSV file: the field of each column
  std::vector<int64_t> places_;   // of a file of pairs: the line of each
  RowsInMemory memory_;
};

// Whether a line is well-formed UTF-8 and not too long.
bool is_text(const Line& line);

// Throws an Error for a line that is too long or not UTF-8.
void require_text(const Line& line, const std::string& where);

}  // namespace calque
