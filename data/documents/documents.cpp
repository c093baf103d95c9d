#include "data/documents/documents.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"
#include "data/corpora/selection.h"
#include "data/files/content_hash.h"
#include "data/files/file.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

constexpr int64_t lines_at_once = 1 << 14, line_bytes_at_once = 4 << 20;

bool is_blank(const Line& line) {
  return !line.too_long && line.text.find_first_not_of(" \t") == line.text.npos;
}

}  // namespace

DocumentsInMemory documents_in_memory(std::string name, std::vector<std::string> texts) {
  return {.name = std::move(name),
          .texts = std::make_shared<const std::vector<std::string>>(std::move(texts))};
}

void require_files(const DocumentSource& source) {
  if (const auto* files = std::get_if<DocumentFiles>(&source.place)) {
    for (const std::string& path : files->paths) File::open(path);
  }
}

std::string name_of(const DocumentSource& source) {
  constexpr size_t most = 3;
  const auto* files = std::get_if<DocumentFiles>(&source.place);
  if (!files) return std::get<DocumentsInMemory>(source.place).name;
  if (files->paths.size() <= most) return fmt::format("{}", fmt::join(files->paths, " + "));
  return fmt::format("{} + {} more files", files->paths.front(), files->paths.size() - 1);
}

uint64_t content_hash(const DocumentSource& source) {
  ContentHash hash;
  if (const auto* files = std::get_if<DocumentFiles>(&source.place)) {
    hash.add_text("documents in files").add(files->unit);
    for (const std::string& path : files->paths) add_file(path, hash);
  } else {
    hash.add_text("documents in memory");
    for (const std::string& text : *std::get<DocumentsInMemory>(source.place).texts) {
      hash.add_text(text);
    }
  }
  return hash.value();
}

Documents::Documents(const DocumentSource& source) : name_(name_of(source)) {
  if (const auto* files = std::get_if<DocumentFiles>(&source.place)) {
    unit_ = files->unit;
    for (const std::string& path : files->paths) {
      TextFile file{.lines = TextLines(path), .first = count_};
      if (unit_ == DocumentUnit::paragraphs) find_paragraphs(file);
      count_ += documents_in(file);
      files_.push_back(std::move(file));
    }
  } else {
    memory_ = std::get<DocumentsInMemory>(source.place);
    count_ = std::ssize(*memory_.texts);
  }
  if (count_ == 0) fail("{}: contains no document", name_);
}

void Documents::find_paragraphs(TextFile& file) {
  bool inside = false;
  for (int64_t first = 0; first < file.lines.count();) {
    const LineBlock block = file.lines.read(first, lines_at_once, line_bytes_at_once);
    for (const Line& line : block.lines) {
      const bool blank = is_blank(line);
      if (!blank && !inside) file.paragraphs.push_back({first, first});
      if (!blank) file.paragraphs.back().end = first + 1;
      inside = !blank;
      ++first;
    }
  }
}

int64_t Documents::documents_in(const TextFile& file) const {
  if (unit_ == DocumentUnit::files) return 1;
  return unit_ == DocumentUnit::lines ? file.lines.count() : std::ssize(file.paragraphs);
}

Documents::Place Documents::place_of(int64_t index) const {
  const TextFile& file = *std::prev(std::ranges::upper_bound(files_, index, {}, &TextFile::first));
  const int64_t own = index - file.first;
  if (unit_ == DocumentUnit::files) return {&file, {0, file.lines.count()}};
  if (unit_ == DocumentUnit::lines) return {&file, {own, own + 1}};
  return {&file, file.paragraphs[own]};
}

int64_t Documents::bytes(int64_t index) const {
  if (files_.empty()) return std::ssize((*memory_.texts)[index]);
  const Place place = place_of(index);
  return place.file->lines.bytes(place.lines.begin, place.lines.end);
}

std::string Documents::text(int64_t index) const {
  require(index >= 0 && index < count_, "Documents: document {} of {}", index, count_);
  if (files_.empty()) return (*memory_.texts)[index];
  const Place place = place_of(index);
  return place.file->lines.text(place.lines.begin, place.lines.end);
}

std::string Documents::where(int64_t index) const {
  if (files_.empty()) return fmt::format("{}:{}", name_, index + 1);
  const Place place = place_of(index);
  return place.file->lines.where(place.lines.begin);
}

std::string Documents::problem(int64_t index) const {
  const std::string text = this->text(index);
  const std::optional<size_t> bad = find_invalid_utf8(text);
  if (!bad) return "";
  if (files_.empty()) return fmt::format("{}: {}", where(index), utf8_problem(text));
  const std::string_view before = std::string_view(text).substr(0, *bad);
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const Place place = place_of(index);
  return fmt::format("{}: {}",
                     place.file->lines.where(place.lines.begin + std::ranges::count(before, '\n')),
                     utf8_problem(std::string_view(text).substr(line_start)));
}

std::vector<std::string> sample_documents(const std::vector<DocumentSource>& sources, int64_t most,
                                          uint64_t seed) {
  std::vector<Documents> opened;
  int64_t all = 0;
  for (const DocumentSource& source : sources) all += opened.emplace_back(source).count();
  Selection selection(all, most, seed);
  std::vector<std::string> texts;
  for (const Documents& documents : opened) {
    for (int64_t i = 0; i < documents.count(); ++i) {
      if (!selection.take_next()) continue;
      std::string text = documents.text(i);
      if (!text.empty() && !find_invalid_utf8(text)) texts.push_back(std::move(text));
    }
  }
  return texts;
}

}  // namespace calque
