#include "data/conversations/json_lines.h"

#include <algorithm>

#include "core/error.h"
#include "core/threads/ordered_chunks.h"
#include "data/datasets/preparation.h"
#include "data/files/content_hash.h"
#include "data/files/text_lines.h"

namespace calque {
namespace {

constexpr int64_t lines_at_once = 4096, bytes_at_once = 8 << 20, lines_per_chunk = 16;

// Nothing for a blank line.
std::optional<PreparedLine> prepare_line(const Line& line, const std::string& where,
                                         const PrepareLine& prepare) {
  if (line.too_long) fail("{}: the line is longer than {} bytes", where, longest_line);
  if (line.text.find_first_not_of(" \t\r") == std::string_view::npos) return std::nullopt;
  return prepare(line.text, where);
}

void add_line(const PreparedLine& own, int64_t number, const std::function<std::string(int)>& where,
              DatasetPreparation& preparation) {
  const std::vector<std::string_view> texts(own.texts.begin(), own.texts.end());
  const std::vector<std::span<const int32_t>> ids(own.ids.begin(), own.ids.end());
  preparation.add(texts, ids, number, {own.too_long ? Drop::too_long : Drop::none, 0}, where);
}

void add_file_of_lines(const TextLines& lines, int64_t first_line, const PrepareLine& prepare,
                       DatasetPreparation& preparation) {
  for (int64_t first = 0; first < lines.count();) {
    const LineBlock block = lines.read(first, lines_at_once, bytes_at_once);
    const auto count = std::ssize(block.lines);
    std::vector<std::optional<PreparedLine>> all(static_cast<size_t>(count));
    parallel_chunks(count, lines_per_chunk, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; ++i) {
        all[i] = prepare_line(block.lines[i], lines.where(first + i), prepare);
      }
    });
    for (int64_t i = 0; i < count; ++i) {
      if (!all[i]) continue;
      add_line(
          *all[i], first_line + first + i, [&](int) { return lines.where(first + i); },
          preparation);
    }
    first += count;
  }
}

void add_source(const ConversationSource& source, const PrepareLine& prepare,
                DatasetPreparation& preparation) {
  std::vector<TextLines> files;
  int64_t lines = 0;
  for (const std::string& path : source.paths) {
    files.emplace_back(path);
    lines += files.back().count();
  }
  preparation.begin_part(name_of(source), lines);
  int64_t first_line = 0;
  for (const TextLines& file : files) {
    add_file_of_lines(file, first_line, prepare, preparation);
    first_line += file.count();
  }
}

}  // namespace

std::string name_of(const ConversationSource& source) {
  const size_t more = source.paths.size() - 1;
  return source.paths.front() + (more > 0 ? fmt::format(" + {} more files", more) : "");
}

Dataset load_json_lines(const std::vector<ConversationSource>& sources, const Tokenizer& tokenizer,
                        const TurnOptions& turns, const ConversationOptions& options,
                        std::string_view kind, int version, int columns, const std::string& noun,
                        const PrepareLine& prepare) {
  ContentHash hash;
  hash.add_text(kind).add(version).add(tokenizer.hash());
  hash.add(turns.format).add_text(turns.system).add_text(turns.begin).add_text(turns.end);
  hash.add(options.context).add(options.drop_duplicates);
  for (const ConversationSource& source : sources) {
    hash.add(source.paths.size());
    for (const std::string& path : source.paths) add_file(path, hash);
  }
  const CacheKey key{.key = hash.value(),
                     .columns = columns,
                     .vocabulary = std::max(tokenizer.size(), longest_run(options.context))};
  return load_sources(sources, options.cache_folder, key, noun, options.drop_duplicates,
                      [&](const ConversationSource& source, DatasetPreparation& preparation) {
                        add_source(source, prepare, preparation);
                      });
}

}  // namespace calque
