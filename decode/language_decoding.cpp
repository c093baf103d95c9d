#include "decode/language_decoding.h"

#include "core/error.h"

namespace calque {

std::vector<DecodingItem> language_items(const std::vector<std::vector<int32_t>>& prompts,
                                         int64_t longest) {
  std::vector<DecodingItem> items;
  for (const std::vector<int32_t>& prompt : prompts) {
    require(!prompt.empty(), "language_items: an empty prompt; begin with <s>");
    items.push_back({.first = prompt.back(),
                     .longest = longest,
                     .number = std::ssize(items),
                     .expected = longest,
                     .input = std::ssize(prompt),
                     .prefill = std::ssize(prompt) - 1,
                     .context = prompt});
  }
  return items;
}

}  // namespace calque
