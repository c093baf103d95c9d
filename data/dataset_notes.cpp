#include "data/dataset_notes.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace calque {
namespace {

// Takes "NUMBER " off the front.
bool take(std::string_view& text, int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data() + text.size() || *end != ' ') return false;
  text.remove_prefix(end - text.data() + 1);
  return true;
}

bool read_part(std::string_view line, DatasetNotes& notes) {
  DatasetPart part;
  if (!take(line, part.examples) || !take(line, part.lines) || part.examples < 0 ||
      part.lines < 0) {
    return false;
  }
  if (!notes.parts.empty()) {
    const DatasetPart& last = notes.parts.back();
    part.first_example = last.first_example + last.examples;
    part.first_line = last.first_line + last.lines;
  }
  notes.parts.push_back(part);
  return true;
}

bool read_size(std::string_view line, DatasetNotes& notes) {
  TextSize size;
  if (!take(line, size.characters) || !take(line, size.bytes)) return false;
  notes.sizes.push_back(size);
  return size.characters >= 0 && size.bytes >= size.characters;
}

bool read_drop(std::string_view line, DatasetNotes& notes) {
  int64_t kind = 0, count = 0;
  if (!take(line, kind) || !take(line, count) || kind < 0 || kind >= drop_kinds) return false;
  notes.drops.reasons[kind] = {.count = count, .first = std::string(line)};
  return true;
}

}  // namespace

std::string to_text(const DatasetNotes& notes) {
  std::string text;
  for (const DatasetPart& part : notes.parts) {
    text += fmt::format("part {} {} \n", part.examples, part.lines);
  }
  for (const TextSize& size : notes.sizes) {
    text += fmt::format("size {} {} \n", size.characters, size.bytes);
  }
  for (int kind = 0; kind < drop_kinds; ++kind) {
    const DropTally::Reason& reason = notes.drops.reasons[kind];
    if (reason.count > 0) text += fmt::format("drop {} {} {}\n", kind, reason.count, reason.first);
  }
  return text;
}

std::optional<DatasetNotes> from_text(std::string_view text) {
  DatasetNotes notes;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (end == text.npos) return std::nullopt;
    const std::string_view line = text.substr(0, end);
    const bool understood = (line.starts_with("part ") && read_part(line.substr(5), notes)) ||
                            (line.starts_with("size ") && read_size(line.substr(5), notes)) ||
                            (line.starts_with("drop ") && read_drop(line.substr(5), notes));
    if (!understood) return std::nullopt;
    text.remove_prefix(end + 1);
  }
  if (notes.parts.empty()) return std::nullopt;
  return notes;
}

}  // namespace calque
