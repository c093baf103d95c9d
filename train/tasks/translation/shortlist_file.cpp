#include "train/tasks/translation/shortlist_file.h"

#include <fmt/ranges.h>

#include <charconv>
#include <optional>

#include "core/error.h"
#include "data/text/code_points.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

std::string first_line(const Tokenizers& tokenizers) {
  return fmt::format("calque shortlist {}", tokenizers.hash());
}

// The ids of a line, each below `limit`.
std::optional<std::vector<int32_t>> ids_of(std::string_view line, int32_t limit) {
  std::vector<int32_t> ids;
  while (!line.empty()) {
    const std::string_view number = cut(line, ' ');
    const char* const number_end = number.data() + number.size();
    int32_t id = -1;
    const auto [end, error] = std::from_chars(number.data(), number_end, id);
    if (error != std::errc() || end != number_end || id < 0 || id >= limit) return std::nullopt;
    ids.push_back(id);
  }
  return ids;
}

std::optional<Shortlist> parsed(std::string_view text, const Tokenizers& tokenizers) {
  if (cut(text, '\n') != first_line(tokenizers)) return std::nullopt;
  std::vector<std::vector<int32_t>> lists;
  for (int32_t line = 0; line <= tokenizers.source.size(); ++line) {
    if (text.empty()) return std::nullopt;
    auto ids = ids_of(cut(text, '\n'), tokenizers.target.size());
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
