#include "data/datasets/preparation.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "core/error.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

std::string notes_of(const Dataset& dataset) {
  std::string text;
  for (const DatasetPart& part : dataset.parts) {
    text += fmt::format("part {} {} \n", part.examples, part.lines);
  }
  for (const TextSize& size : dataset.sizes) {
    text += fmt::format("size {} {} \n", size.characters, size.bytes);
  }
  for (int kind = 0; kind < drop_kinds; ++kind) {
    const DropTally::Reason& reason = dataset.drops.reasons[kind];
    if (reason.count > 0) text += fmt::format("drop {} {} {}\n", kind, reason.count, reason.first);
  }
  return text;
}

// Removes "NUMBER " from the front. Returns false if there is no such number.
bool take(std::string_view& text, int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data() + text.size() || *end != ' ') return false;
  text.remove_prefix(end - text.data() + 1);
  return number >= 0;
}

bool read_note(std::string_view line, Dataset& dataset) {
  if (line.size() < 5) return false;
  const std::string_view kind = line.substr(0, 5);
  line.remove_prefix(5);
  int64_t first = 0, second = 0;
  if (!take(line, first) || !take(line, second)) return false;
  if (kind == "part ") {
    dataset.add_part({.examples = first, .lines = second});
    return true;
  }
  if (kind == "size ") {
    dataset.sizes.push_back({.characters = first, .bytes = second});
    return second >= first;
  }
  if (kind != "drop " || first >= drop_kinds) return false;
  dataset.drops.reasons[first] = {.count = second, .first = std::string(line)};
  return true;
}

// False if the notes are damaged.
bool read_notes(std::string_view text, Dataset& dataset) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (end == text.npos || !read_note(text.substr(0, end), dataset)) return false;
    text.remove_prefix(end + 1);
  }
  return !dataset.parts.empty();
}

std::string cache_path(const std::string& folder, uint64_t key) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail("{}: cannot create the folder: {}", folder, error.message());
  return (std::filesystem::path(folder) / fmt::format("tokens-{:016x}.bin", key)).string();
}

// Removes the unfinished files of killed processes.
void remove_unfinished(const std::string& folder) {
  std::error_code ignored;  // such a file only takes up space
  std::vector<std::string> unfinished;
  for (std::filesystem::directory_iterator at(folder, ignored), end; at != end;
       at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    if (name.find(".bin.new-") != name.npos) {
      unfinished.push_back(at->path().string());
    }
  }
  std::ranges::for_each(unfinished, NewFile::remove_unfinished);
}

std::optional<Dataset> load_cached(const std::string& path, const CacheKey& key) {
  auto loaded = load_token_file(path, key.key, key.columns, key.vocabulary);
  if (!loaded) return std::nullopt;
  Dataset dataset{.tokens = std::make_shared<const TokenStore>(std::move(loaded->store)),
                  .from_cache = true};
  const bool read = read_notes(loaded->notes, dataset);
  if (!read || std::ssize(dataset.sizes) != key.columns) return std::nullopt;
  return dataset;
}

}  // namespace

void DatasetPreparation::add(std::span<const std::string_view> texts,
                             std::span<const std::span<const int32_t>> ids, int64_t line,
                             Verdict verdict, const std::function<std::string(int column)>& where) {
  if (verdict.drop == Drop::none && is_duplicate(texts)) verdict = {Drop::duplicate, 0};
  if (verdict.drop != Drop::none) return dataset_.drops.add(verdict.drop, where(verdict.column));
  DatasetPart& part = dataset_.parts.back();
  writer_.append(ids, part.first_line + line);
  ++part.examples;
  for (size_t column = 0; column < texts.size(); ++column) {
    dataset_.sizes[column].characters += count_code_points(texts[column]);
    dataset_.sizes[column].bytes += std::ssize(texts[column]);
  }
}

bool DatasetPreparation::is_duplicate(std::span<const std::string_view> texts) {
  if (!drop_duplicates_) return false;
  ContentHash hash;
  for (const std::string_view text : texts) hash.add_text(text);
  return !seen_.insert(hash.value()).second;
}

Dataset DatasetPreparation::finish() {
  const DatasetPart& last = dataset_.parts.back();
  if (last.first_example + last.examples == 0) {
    fail("{}: none of {} {}s is left after filtering: {}", dataset_.parts.front().name,
         dataset_.lines(), dataset_.noun,
         dataset_.drops.text(static_cast<int>(dataset_.sizes.size())));
  }
  dataset_.tokens = std::make_shared<const TokenStore>(writer_.finish(notes_of(dataset_)));
  return std::move(dataset_);
}

void require_weight(const CorpusShare& share, const std::string& name) {
  if (!(share.weight > 0)) fail("{}: the weight {} is not above 0", name, share.weight);
}

Dataset cached_dataset(const std::string& folder, const CacheKey& key,
                       const std::function<Dataset(TokenWriter)>& prepare) {
  if (folder.empty()) return prepare(TokenWriter(key.columns, key.vocabulary));
  std::string problem;
  try {
    const std::string path = cache_path(folder, key.key);
    remove_unfinished(folder);
    if (auto cached = load_cached(path, key)) return std::move(*cached);
    return prepare(TokenWriter(key.columns, key.vocabulary, path, key.key));
  } catch (const Error& error) {
    problem = error.what();  // an error in the texts is thrown again below
  }
  Dataset dataset = prepare(TokenWriter(key.columns, key.vocabulary));
  dataset.cache_problem = std::move(problem);
  return dataset;
}

}  // namespace calque
