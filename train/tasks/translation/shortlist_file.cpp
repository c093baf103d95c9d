#include "train/tasks/translation/shortlist_file.h"

#include <fmt/ranges.h>

#include <charconv>
#include <optional>

#include "core/error.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

std::string first_line(const Tokenizers& tokenizers) {
  return fmt::format("calque shortlist {}", tokenizers.hash());
}

std::string_view take_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// The ids of a line, each below `limit`.
std::optional<std::vector<int32_t>> ids_of(std::string_view line, int32_t limit) {
  std::vector<int32_t> ids;
  while (!line.empty()) {
    int32_t id = -1;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), id);
    if (error != std::errc() || id < 0 || id >= limit) return std::nullopt;
    line.remove_prefix(static_cast<size_t>(end - line.data()));
    if (!line.empty() && line.front() != ' ') return std::nullopt;
    if (!line.empty()) line.remove_prefix(1);
    ids.push_back(id);
  }
  return ids;
}

std::optional<Shortlist> parsed(std::string_view text, const Tokenizers& tokenizers) {
  if (take_line(text) != first_line(tokenizers)) return std::nullopt;
  std::vector<std::vector<int32_t>> lists;
  for (int32_t line = 0; line <= tokenizers.source.size(); ++line) {
    if (text.empty()) return std::nullopt;
    auto ids = ids_of(take_line(text), tokenizers.target.size());
    if (!ids) return std::nullopt;
    lists.push_back(std::move(*ids));
  }
  if (!text.empty()) return std::nullopt;
  std::vector<int32_t> always = std::move(lists.front());
  lists.erase(lists.begin());
  return Shortlist(std::move(always), std::move(lists));
}

}  // namespace

void save_shortlist(const RunFolder& run, const Tokenizers& tokenizers, const Shortlist& list) {
  std::string text = first_line(tokenizers) + '\n';
  text += fmt::format("{}\n", fmt::join(list.always(), " "));
  for (const auto& ids : list.of_tokens()) text += fmt::format("{}\n", fmt::join(ids, " "));
  replace_text(real_files(), run.shortlist(), text);
}

std::shared_ptr<const Shortlist> stored_shortlist(const RunFolder& run,
                                                  const Tokenizers& tokenizers) {
  constexpr uint64_t most_bytes = uint64_t{1} << 30;
  const std::string path = run.shortlist();
  if (!exists(real_files(), path)) return nullptr;
  std::optional<Shortlist> list = parsed(read_text(real_files(), path, most_bytes), tokenizers);
  if (!list) {
    fail("{}: is damaged or of other tokenizers; delete it, and run 'calque shortlist {}' again",
         path, run.path);
  }
  return std::make_shared<const Shortlist>(std::move(*list));
}

}  // namespace calque
