#include "train/tasks/translation/parts.h"

#include <algorithm>
#include <string_view>

#include "core/error.h"

namespace calque {
namespace {

bool begins_word(const Tokenizer& tokenizer, int32_t id) {
  return tokenizer.options().kind == TokenizerKind::words ||
         tokenizer.symbol(id).starts_with(space_mark);
}

bool ends_sentence(const Tokenizer& tokenizer, int32_t id) {
  constexpr std::string_view ends[] = {".", "!", "?", "\u2026", "\u3002", "\uff01", "\uff1f"};
  const std::string symbol = tokenizer.symbol(id);
  return std::ranges::any_of(ends, [&](std::string_view end) { return symbol.ends_with(end); });
}

}  // namespace

std::vector<size_t> part_ends(std::span<const int32_t> source, const Tokenizer& tokenizer,
                              int64_t longest) {
  require(longest >= 1, "part_ends: at most {} tokens", longest);
  std::vector<size_t> ends;
  size_t begin = 0, word = 0;  // of the part, and of its last word
  const auto end_part = [&](size_t end) {
    ends.push_back(end);
    begin = word = end;
  };
  for (size_t i = 1; i < source.size(); ++i) {
    const bool border = begins_word(tokenizer, source[i]);
    if (border && ends_sentence(tokenizer, source[i - 1])) end_part(i);
    if (border) word = i;
    if (static_cast<int64_t>(i - begin) == longest) end_part(word > begin ? word : i);
  }
  if (begin < source.size()) ends.push_back(source.size());
  return ends;
}

std::vector<std::vector<int32_t>> divided(const std::vector<int32_t>& ids,
                                          const std::vector<size_t>& ends) {
  std::vector<std::vector<int32_t>> parts;
  size_t begin = 0;
  for (const size_t end : ends) {
    parts.emplace_back(ids.data() + begin, ids.data() + end);
    begin = end;
  }
  return parts;
}

}  // namespace calque
