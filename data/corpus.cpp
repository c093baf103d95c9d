#include "data/corpus.h"

#include <algorithm>
#include <filesystem>
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

void add_file(const std::string& path, ContentHash& hash) {
  const File file = File::open(path);
  std::vector<char> buffer(1 << 20);
  int64_t at = 0;
  while (const size_t got = file.read_at(at, buffer)) {
    hash.add({buffer.data(), got});
    at += static_cast<int64_t>(got);
  }
  hash.add(at);
}

std::string plain_or_gzip(const std::string& path) {
  std::error_code none;
  const bool plain = std::filesystem::exists(path, none);
  return !plain && std::filesystem::exists(path + ".gz", none) ? path + ".gz" : path;
}

void require_same_length(const TextLines& source, const TextLines& target) {
  if (source.count() == target.count()) return;
  const bool longer_source = source.count() > target.count();
  const TextLines& longer = longer_source ? source : target;
  const int64_t first = std::min(source.count(), target.count());
  fail("{} has {} lines but {} has {}: {} is the first without a partner; align the files",
       source.path(), source.count(), target.path(), target.count(), longer.where(first));
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

LinePair split_line(const Line& line, int source_column, int target_column, const TextLines& lines,
                    int64_t index) {
  if (line.too_long) return {.source = line, .target = line};
  return {.source = {.text = field(line.text, source_column, lines, index)},
          .target = {.text = field(line.text, target_column, lines, index)}};
}

}  // namespace

AlignedFiles files_of_prefix(const std::string& prefix, const std::string& source_language,
                             const std::string& target_language) {
  return {.source = plain_or_gzip(prefix + "." + source_language),
          .target = plain_or_gzip(prefix + "." + target_language)};
}

PairsInMemory in_memory(std::string name, std::vector<TextPair> pairs) {
  return {.name = std::move(name),
          .pairs = std::make_shared<const std::vector<TextPair>>(std::move(pairs))};
}

void require_files(const CorpusSource& source) {
  std::visit(
      Overloaded{[](const AlignedFiles& files) {
                   File::open(files.source);
                   File::open(files.target);
                 },
                 [](const TsvFile& file) { File::open(file.path); }, [](const PairsInMemory&) {}},
      source.place);
}

std::string name_of(const CorpusSource& source) {
  return std::visit(
      Overloaded{[](const AlignedFiles& files) { return files.source + " + " + files.target; },
                 [](const TsvFile& file) { return file.path; },
                 [](const PairsInMemory& memory) { return memory.name; }},
      source.place);
}

uint64_t content_hash(const CorpusSource& source) {
  ContentHash hash;
  std::visit(Overloaded{[&](const AlignedFiles& files) {
                          hash.add_text("aligned");
                          add_file(files.source, hash);
                          add_file(files.target, hash);
                        },
                        [&](const TsvFile& file) {
                          hash.add_text("tsv").add(file.source_column).add(file.target_column);
                          add_file(file.path, hash);
                        },
                        [&](const PairsInMemory& memory) {
                          hash.add_text("memory");
                          for (const TextPair& pair : *memory.pairs) {
                            hash.add_text(pair.source).add_text(pair.target);
                          }
                        }},
             source.place);
  return hash.value();
}

Corpus::Corpus(const CorpusSource& source)
    : name_(name_of(source)),
      place_(std::visit(
          Overloaded{[](const AlignedFiles& files) -> decltype(place_) {
                       return Aligned{TextLines(files.source), TextLines(files.target)};
                     },
                     [](const TsvFile& file) -> decltype(place_) {
                       return Tsv{TextLines(file.path), file.source_column, file.target_column};
                     },
                     [](const PairsInMemory& memory) -> decltype(place_) { return memory; }},
          source.place)) {
  if (const auto* files = std::get_if<Aligned>(&place_)) {
    require_same_length(files->source, files->target);
  }
  if (const auto* tsv = std::get_if<Tsv>(&place_)) {
    require(tsv->source_column > 0 && tsv->target_column > 0, "Corpus: columns count from 1");
  }
  if (size() == 0) fail("{}: the corpus is empty", name_);
}

int64_t Corpus::size() const {
  return std::visit(Overloaded{[](const Aligned& files) { return files.source.count(); },
                               [](const Tsv& tsv) { return tsv.lines.count(); },
                               [](const PairsInMemory& memory) {
                                 return static_cast<int64_t>(memory.pairs->size());
                               }},
                    place_);
}

PairBlock Corpus::read(int64_t first, int64_t pairs, int64_t bytes) const {
  require(first >= 0 && first < size(), "Corpus: pair {} of {}", first, size());
  PairBlock block;
  if (const auto* files = std::get_if<Aligned>(&place_)) {
    LineBlock source = files->source.read(first, pairs, bytes);
    LineBlock target = files->target.read(first, pairs, bytes);
    const size_t count = std::min(source.lines.size(), target.lines.size());
    for (size_t i = 0; i < count; ++i) block.pairs.push_back({source.lines[i], target.lines[i]});
    block.source_bytes = std::move(source.bytes);
    block.target_bytes = std::move(target.bytes);
  } else if (const auto* tsv = std::get_if<Tsv>(&place_)) {
    LineBlock lines = tsv->lines.read(first, pairs, bytes);
    for (const Line& line : lines.lines) {
      const int64_t index = first + static_cast<int64_t>(block.pairs.size());
      block.pairs.push_back(
          split_line(line, tsv->source_column, tsv->target_column, tsv->lines, index));
    }
    block.source_bytes = std::move(lines.bytes);
  } else {
    const auto& memory = *std::get<PairsInMemory>(place_).pairs;
    const int64_t end = std::min(size(), first + pairs);
    for (int64_t i = first; i < end; ++i) {
      block.pairs.push_back({{.text = memory[i].source}, {.text = memory[i].target}});
    }
  }
  return block;
}

TextPair Corpus::pair(int64_t index) const {
  const PairBlock block = read(index, 1, 0);
  const LinePair& pair = block.pairs.front();
  require_text(pair.source, where(index, Side::source));
  require_text(pair.target, where(index, Side::target));
  return {.source = std::string(pair.source.text), .target = std::string(pair.target.text)};
}

std::string Corpus::where(int64_t index, Side side) const {
  return std::visit(
      Overloaded{[&](const Aligned& files) {
                   return (side == Side::source ? files.source : files.target).where(index);
                 },
                 [&](const Tsv& tsv) { return tsv.lines.where(index); },
                 [&](const PairsInMemory& memory) {
                   return fmt::format("{}:{}", memory.name, index + 1);
                 }},
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
