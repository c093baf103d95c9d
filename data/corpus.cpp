#include "data/corpus.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "core/error.h"
#include "data/content_hash.h"
#include "data/utf8.h"

namespace calque {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

std::string plain_or_gzip(const std::string& path) {
  std::error_code none;
  const bool plain = std::filesystem::exists(path, none);
  return !plain && std::filesystem::exists(path + ".gz", none) ? path + ".gz" : path;
}

void require_same_length(const TextLines& one, const TextLines& other) {
  if (one.count() == other.count()) return;
  const TextLines& longer = one.count() > other.count() ? one : other;
  const int64_t first = std::min(one.count(), other.count());
  fail("{} has {} lines but {} has {}: {} is the first without a partner; align the files",
       one.path(), one.count(), other.path(), other.count(), longer.where(first));
}

// The column-th field, counting from 1. Too few columns: an Error.
std::string_view field(std::string_view line, int column, const TextLines& lines, int64_t index) {
  size_t begin = 0;
  for (int i = 1; i < column; ++i) {
    const size_t tab = line.find('\t', begin);
    if (tab == line.npos) {
      fail("{}: {} column(s) where column {} is wanted; columns are separated by tabs",
           lines.where(index), i, column);
    }
    begin = tab + 1;
  }
  return line.substr(begin, line.find('\t', begin) - begin);
}

void append_fields(const Line& line, const std::vector<int>& columns, const TextLines& lines,
                   int64_t index, std::vector<Line>& out) {
  for (const int column : columns) {
    out.push_back(line.too_long ? line : Line{.text = field(line.text, column, lines, index)});
  }
}

std::vector<TextLines> open_aligned(const AlignedFiles& files) {
  require(!files.paths.empty(), "Corpus: no files");
  std::vector<TextLines> columns;
  for (const std::string& path : files.paths) columns.emplace_back(path);
  for (const TextLines& column : columns) require_same_length(columns.front(), column);
  return columns;
}

void require_columns(const RowsInMemory& memory) {
  for (const Row& row : *memory.rows) {
    require(!row.empty() && row.size() == memory.rows->front().size(),
            "Corpus: {} has rows of {} and of {} columns", memory.name, row.size(),
            memory.rows->front().size());
  }
}

}  // namespace

AlignedFiles files_of_prefix(const std::string& prefix, const std::vector<std::string>& languages) {
  AlignedFiles files;
  for (const std::string& language : languages) {
    files.paths.push_back(plain_or_gzip(prefix + "." + language));
  }
  return files;
}

RowsInMemory in_memory(std::string name, std::vector<Row> rows) {
  return {.name = std::move(name),
          .rows = std::make_shared<const std::vector<Row>>(std::move(rows))};
}

void require_files(const CorpusSource& source) {
  std::visit(
      Overloaded{[](const AlignedFiles& files) {
                   for (const std::string& path : files.paths) File::open(path);
                 },
                 [](const TsvFile& file) { File::open(file.path); }, [](const RowsInMemory&) {}},
      source.place);
}

std::string name_of(const CorpusSource& source) {
  return std::visit(Overloaded{[](const AlignedFiles& files) {
                                 return fmt::format("{}", fmt::join(files.paths, " + "));
                               },
                               [](const TsvFile& file) { return file.path; },
                               [](const RowsInMemory& memory) { return memory.name; }},
                    source.place);
}

uint64_t content_hash(const CorpusSource& source) {
  ContentHash hash;
  std::visit(Overloaded{[&](const AlignedFiles& files) {
                          hash.add_text("aligned");
                          for (const std::string& path : files.paths) add_file(path, hash);
                        },
                        [&](const TsvFile& file) {
                          hash.add_text("tsv");
                          for (const int column : file.columns) hash.add(column);
                          add_file(file.path, hash);
                        },
                        [&](const RowsInMemory& memory) {
                          hash.add_text("memory");
                          for (const Row& row : *memory.rows) {
                            for (const std::string& text : row) hash.add_text(text);
                          }
                        }},
             source.place);
  return hash.value();
}

Corpus::Corpus(const CorpusSource& source)
    : name_(name_of(source)),
      place_(std::visit(
          Overloaded{
              [](const AlignedFiles& files) -> decltype(place_) { return open_aligned(files); },
              [](const TsvFile& file) -> decltype(place_) {
                return Tsv{TextLines(file.path), file.columns};
              },
              [](const RowsInMemory& memory) -> decltype(place_) { return memory; }},
          source.place)) {
  if (const auto* tsv = std::get_if<Tsv>(&place_)) {
    require(!tsv->columns.empty() && std::ranges::min(tsv->columns) > 0,
            "Corpus: columns count from 1");
  }
  if (size() == 0) fail("{}: the corpus is empty", name_);
  if (const auto* memory = std::get_if<RowsInMemory>(&place_)) require_columns(*memory);
}

int Corpus::columns() const {
  return std::visit(
      Overloaded{
          [](const std::vector<TextLines>& files) { return static_cast<int>(files.size()); },
          [](const Tsv& tsv) { return static_cast<int>(tsv.columns.size()); },
          [](const RowsInMemory& memory) { return static_cast<int>(memory.rows->front().size()); }},
      place_);
}

int64_t Corpus::size() const {
  return std::visit(
      Overloaded{[](const std::vector<TextLines>& files) { return files.front().count(); },
                 [](const Tsv& tsv) { return tsv.lines.count(); },
                 [](const RowsInMemory& memory) { return std::ssize(*memory.rows); }},
      place_);
}

RowBlock Corpus::read(int64_t first, int64_t rows, int64_t bytes) const {
  require(first >= 0 && first < size(), "Corpus: row {} of {}", first, size());
  RowBlock block{.columns = columns()};
  if (const auto* files = std::get_if<std::vector<TextLines>>(&place_)) {
    std::vector<std::vector<Line>> columns;
    size_t count = std::numeric_limits<size_t>::max();
    for (const TextLines& file : *files) {
      LineBlock lines = file.read(first, rows, bytes);
      count = std::min(count, lines.lines.size());
      columns.push_back(std::move(lines.lines));
      block.bytes.push_back(std::move(lines.bytes));
    }
    for (size_t i = 0; i < count; ++i) {
      for (const std::vector<Line>& column : columns) block.lines.push_back(column[i]);
    }
  } else if (const auto* tsv = std::get_if<Tsv>(&place_)) {
    LineBlock lines = tsv->lines.read(first, rows, bytes);
    for (int64_t i = 0; i < std::ssize(lines.lines); ++i) {
      append_fields(lines.lines[i], tsv->columns, tsv->lines, first + i, block.lines);
    }
    block.bytes.push_back(std::move(lines.bytes));
  } else {
    const std::vector<Row>& memory = *std::get<RowsInMemory>(place_).rows;
    const int64_t end = std::min(size(), first + rows);
    for (int64_t i = first; i < end; ++i) {
      for (const std::string& text : memory[i]) block.lines.push_back({.text = text});
    }
  }
  return block;
}

Row Corpus::row(int64_t index) const {
  const RowBlock block = read(index, 1, 0);
  Row row;
  for (int column = 0; column < block.columns; ++column) {
    const Line& line = block.row(0)[column];
    require_text(line, where(index, column));
    row.emplace_back(line.text);
  }
  return row;
}

std::string Corpus::where(int64_t index, int column) const {
  return std::visit(
      Overloaded{
          [&](const std::vector<TextLines>& files) { return files[column].where(index); },
          [&](const Tsv& tsv) { return tsv.lines.where(index); },
          [&](const RowsInMemory& memory) { return fmt::format("{}:{}", memory.name, index + 1); }},
      place_);
}

bool is_text(const Line& line) { return !line.too_long && !find_invalid_utf8(line.text); }

void require_text(const Line& line, const std::string& where) {
  if (line.too_long) fail("{}: more than {} bytes are no sentence", where, longest_line);
  const std::string problem = utf8_problem(line.text);
  if (problem.empty()) return;
  fail("{}: {}; fix the line or set data.invalid_utf8: skip", where, problem);
}

}  // namespace calque
