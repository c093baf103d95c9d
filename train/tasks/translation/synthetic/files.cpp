#include "train/tasks/translation/synthetic/files.h"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "core/error.h"
#include "data/files/content_hash.h"
#include "data/files/file.h"

namespace calque {
namespace {

constexpr int64_t most_bytes = int64_t{16} << 30;

constexpr int64_t SyntheticCounts::*numbers[] = {
    &SyntheticCounts::lines,    &SyntheticCounts::pairs,   &SyntheticCounts::empty,
    &SyntheticCounts::too_long, &SyntheticCounts::invalid, &SyntheticCounts::unfinished};

std::string line_of(const SyntheticCounts& counts) {
  std::string line;
  for (const auto number : numbers) line += fmt::format("{} ", counts.*number);
  return line;
}

bool counts_from(std::istream& in, SyntheticCounts& counts) {
  for (const auto number : numbers) in >> counts.*number;
  return static_cast<bool>(in);
}

std::optional<std::string> read_if_there(const std::string& path) {
  try {
    return read_file(path, most_bytes);
  } catch (const Error&) {
    return std::nullopt;  // it is made again
  }
}

// "" if the file cannot be read.
std::string hash_of_file(const std::string& path) {
  try {
    ContentHash hash;
    add_file(path, hash);
    return hexadecimal(hash.value());
  } catch (const Error&) {
    return "";
  }
}

}  // namespace

std::optional<SyntheticCounts> SyntheticFiles::complete() const {
  const auto text = read_if_there(path_ + ".txt");
  if (!text) return std::nullopt;
  std::istringstream in(*text);
  SyntheticCounts counts;
  if (!counts_from(in, counts)) return std::nullopt;
  for (const std::string& path : pairs().paths) {
    std::string hash;
    if (!(in >> hash) || hash != hash_of_file(path)) return std::nullopt;
  }
  return counts;
}

std::string SyntheticFiles::part_path(int64_t number) const {
  return fmt::format("{}.part-{:06}", path_, number);
}

// A part: the hash of what follows, the counts, and a source and its target by turns, each a line.
std::optional<SyntheticPart> SyntheticFiles::part(int64_t number) const {
  const auto text = read_if_there(part_path(number));
  if (!text) return std::nullopt;
  const size_t rest = text->find('\n') + 1;
  if (rest == 0 || text->substr(0, rest - 1) != hexadecimal(content_hash(text->substr(rest)))) {
    return std::nullopt;
  }
  std::istringstream in(text->substr(rest));
  SyntheticPart part;
  std::string source, target;
  if (!counts_from(in, part.counts) || !std::getline(in, source)) return std::nullopt;
  while (std::getline(in, source) && std::getline(in, target)) {
    part.pairs.emplace_back(source, target);
  }
  if (std::ssize(part.pairs) != part.counts.pairs) return std::nullopt;
  return part;
}

void SyntheticFiles::write(int64_t number, const SyntheticPart& part) const {
  std::string text = line_of(part.counts) + '\n';
  for (const auto& [source, target] : part.pairs) text += source + '\n' + target + '\n';
  NewFile file(part_path(number));
  file.append(hexadecimal(content_hash(text)) + '\n');
  file.append(text);
  file.finish();
}

SyntheticCounts SyntheticFiles::join(int64_t parts) const {
  const AlignedFiles files = pairs();
  SyntheticCounts counts;
  {
    NewFile sources(files.paths[0]), targets(files.paths[1]);
    for (int64_t number = 0; number < parts; ++number) {
      const auto found = part(number);
      if (!found) fail("{}: cannot be read", part_path(number));
      counts.add(found->counts);
      std::string source_lines, target_lines;
      for (const auto& [source, target] : found->pairs) {
        source_lines += source + '\n';
        target_lines += target + '\n';
      }
      sources.append(source_lines);
      targets.append(target_lines);
    }
    sources.finish();
    targets.finish();
  }
  NewFile record(path_ + ".txt");
  record.append(fmt::format("{}{} {}\n", line_of(counts), hash_of_file(files.paths[0]),
                            hash_of_file(files.paths[1])));
  record.finish();
  for (int64_t number = 0; number < parts; ++number) {
    std::error_code ignored;
    std::filesystem::remove(part_path(number), ignored);
  }
  return counts;
}

}  // namespace calque
