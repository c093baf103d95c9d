#include "data/corpora/corpus.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "data/files/content_hash.h"
#include "data/files/packed_files.h"
#include "data/formats/pairs.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

std::string plain_or_packed(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return path;
  for (const std::string_view ending : packed_endings) {
    std::string packed = path + std::string(ending);
    if (std::filesystem::exists(packed, ignored)) return packed;
  }
  return path;
}

void require_same_length(const TextLines& one, const TextLines& other) {
  if (one.count() == other.count()) return;
  const TextLines& longer = one.count() > other.count() ? one : other;
  const int64_t first = std::min(one.count(), other.count());
  fail("{} has {} lines but {} has {}: {} is the first without a partner; align the files",
       one.path(), one.count(), other.path(), other.count(), longer.where(first));
}

// The column-th field, counting from 1.
std::string_view field(std::string_view line, int column, const TextLines& lines, int64_t index) {
  size_t begin = 0;
  for (int i = 1; i < column; ++i) {
    const size_t tab = line.find('\t', begin);
    if (tab == line.npos) {
      fail("{}: has {} column(s), but column {} is needed; columns are separated by tabs",
           lines.where(index), i, column);
    }
    begin = tab + 1;
  }
  return line.substr(begin, line.find('\t', begin) - begin);
}

std::vector<std::string> paths_of(const CorpusSource& source) {
  if (const auto* files = std::get_if<AlignedFiles>(&source.place)) return files->paths;
  if (const auto* tsv = std::get_if<TsvFile>(&source.place)) return {tsv->path};
  if (const auto* pairs = std::get_if<FileOfPairs>(&source.place)) return {pairs->path};
  return {};
}

// A text on one line.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  const size_t first = text.find_first_not_of(' ');
  if (first == text.npos) return "";
  return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

// The pairs of a file as two nameless files of lines, so that they need not be in memory.
struct UnpackedPairs {
  std::vector<TextLines> columns;
  std::vector<int64_t> places;
};

UnpackedPairs unpack(const FileOfPairs& file) {
  constexpr size_t at_once = 1 << 20;
  require(file.languages.size() == 2, "Corpus: {} needs two languages", file.path);
  UnpackedPairs unpacked;
  File files[] = {File::temporary(file.path), File::temporary(file.path)};
  std::string waiting[2];
  const auto write = [&](size_t limit) {
    for (int column = 0; column < 2; ++column) {
      if (waiting[column].size() <= limit) continue;
      files[column].append(waiting[column]);
      waiting[column].clear();
    }
  };
  read_pairs(file.path, {file.languages[0], file.languages[1]},
             [&](const std::string& source, const std::string& target, int64_t line) {
               waiting[file.turned ? 1 : 0] += one_line(source) + '\n';
               waiting[file.turned ? 0 : 1] += one_line(target) + '\n';
               unpacked.places.push_back(line);
               write(at_once);
             });
  write(0);
  if (unpacked.places.empty()) fail("{}: has no translated pair", file.path);
  for (File& each : files) unpacked.columns.emplace_back(file.path, std::move(each));
  return unpacked;
}

void exchange(AlignedFiles& files) { std::swap(files.paths.at(0), files.paths.at(1)); }
void exchange(TsvFile& file) { std::swap(file.columns.at(0), file.columns.at(1)); }
void exchange(FileOfPairs& file) { file.turned = !file.turned; }
void exchange(RowsInMemory& memory) {
  std::vector<Row> rows = *memory.rows;
  for (Row& row : rows) std::swap(row.at(0), row.at(1));
  memory.rows = std::make_shared<const std::vector<Row>>(std::move(rows));
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
    files.paths.push_back(plain_or_packed(prefix + "." + language));
  }
  return files;
}

RowsInMemory in_memory(std::string name, std::vector<Row> rows) {
  return {.name = std::move(name),
          .rows = std::make_shared<const std::vector<Row>>(std::move(rows))};
}

CorpusSource turned(CorpusSource source) {
  std::visit([](auto& place) { exchange(place); }, source.place);
  return source;
}

void require_files(const CorpusSource& source) {
  for (const std::string& path : paths_of(source)) File::open(path);
}

std::string name_of(const CorpusSource& source) {
  if (const auto* memory = std::get_if<RowsInMemory>(&source.place)) return memory->name;
  return fmt::format("{}", fmt::join(paths_of(source), " + "));
}

uint64_t content_hash(const CorpusSource& source) {
  ContentHash hash;
  if (!source.mark.empty()) hash.add_text("mark").add_text(source.mark);
  if (const auto* memory = std::get_if<RowsInMemory>(&source.place)) {
    hash.add_text("memory");
    for (const Row& row : *memory->rows) {
      for (const std::string& text : row) hash.add_text(text);
    }
    return hash.value();
  }
  const auto* tsv = std::get_if<TsvFile>(&source.place);
  const auto* pairs = std::get_if<FileOfPairs>(&source.place);
  hash.add_text(tsv ? "tsv" : pairs ? "pairs" : "aligned");
  if (pairs) {
    for (const std::string& language : pairs->languages) hash.add_text(language);
    if (pairs->turned) hash.add_text("turned");
  }
  for (const int column : tsv ? tsv->columns : std::vector<int>()) hash.add(column);
  for (const std::string& path : paths_of(source)) add_file(path, hash);
  return hash.value();
}

Corpus::Corpus(const CorpusSource& source) : name_(name_of(source)) {
  if (const auto* pairs = std::get_if<FileOfPairs>(&source.place)) {
    UnpackedPairs unpacked = unpack(*pairs);
    files_ = std::move(unpacked.columns);
    places_ = std::move(unpacked.places);
  } else {
    for (const std::string& path : paths_of(source)) files_.emplace_back(path);
  }
  if (const auto* tsv = std::get_if<TsvFile>(&source.place)) {
    fields_ = tsv->columns;
    require(!fields_.empty() && std::ranges::min(fields_) > 0, "Corpus: columns count from 1");
  }
  if (const auto* memory = std::get_if<RowsInMemory>(&source.place)) memory_ = *memory;
  require(memory_.rows || !files_.empty(), "Corpus: no files");
  for (const TextLines& file : files_) require_same_length(files_.front(), file);
  if (size() == 0) fail("{}: the corpus is empty", name_);
  if (memory_.rows) require_columns(memory_);
}

int Corpus::columns() const {
  if (memory_.rows) return static_cast<int>(memory_.rows->front().size());
  return static_cast<int>(fields_.empty() ? files_.size() : fields_.size());
}

int64_t Corpus::size() const {
  return memory_.rows ? std::ssize(*memory_.rows) : files_.front().count();
}

RowBlock Corpus::read(int64_t first, int64_t rows, int64_t bytes) const {
  require(first >= 0 && first < size(), "Corpus: row {} of {}", first, size());
  RowBlock block{.columns = columns()};
  if (memory_.rows) {
    for (int64_t i = first; i < std::min(size(), first + rows); ++i) {
      for (const std::string& text : (*memory_.rows)[i]) block.lines.push_back({.text = text});
    }
    return block;
  }
  std::vector<std::vector<Line>> files;
  int64_t count = rows;
  for (const TextLines& file : files_) {
    LineBlock lines = file.read(first, rows, bytes);
    count = std::min(count, std::ssize(lines.lines));
    files.push_back(std::move(lines.lines));
    block.bytes.push_back(std::move(lines.bytes));
  }
  for (int64_t i = 0; i < count; ++i) {
    for (int column = 0; column < block.columns; ++column) {
      Line line = files[fields_.empty() ? column : 0][i];
      if (!fields_.empty() && !line.too_long) {
        line.text = field(line.text, fields_[column], files_[0], first + i);
      }
      block.lines.push_back(line);
    }
  }
  return block;
}

std::string Corpus::where(int64_t index, int column) const {
  if (memory_.rows) return fmt::format("{}:{}", name_, index + 1);
  if (!places_.empty()) return fmt::format("{}:{}", name_, places_[index]);
  return files_[fields_.empty() ? column : 0].where(index);
}

bool is_text(const Line& line) { return !line.too_long && !find_invalid_utf8(line.text); }

void require_text(const Line& line, const std::string& where) {
  if (line.too_long) fail("{}: more than {} bytes are no sentence", where, longest_line);
  const std::string problem = utf8_problem(line.text);
  if (problem.empty()) return;
  fail("{}: {}; fix the line or set data.invalid_utf8: skip", where, problem);
}

}  // namespace calque
