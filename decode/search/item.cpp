#include "decode/search/item.h"

#include <algorithm>

namespace calque {
namespace {

void forbid_all_but(int32_t id, std::span<real> scores) {
  const real score = scores[id];
  std::ranges::fill(scores, minus_infinity);
  scores[id] = score;
}

}  // namespace

void forbid_tokens(const DecodingItem& item, const TokenRules& rules,
                   std::span<const int32_t> written, std::span<real> scores) {
  const int64_t length = std::ssize(written);
  if (length < std::ssize(item.prefix)) return forbid_all_but(item.prefix[length], scores);
  if (length >= item.longest) return forbid_all_but(end_id, scores);
  scores[begin_id] = minus_infinity;
  if (!rules.allow_unknown) scores[unknown_id] = minus_infinity;
  if (length < item.shortest) scores[end_id] = minus_infinity;
  const int64_t n = rules.no_repeat_ngram;
  if (n <= 0) return;
  for (int64_t i = 0; i + n <= length; ++i) {  // does written[i, i + n - 1) equal its end?
    if (std::equal(written.begin() + i, written.begin() + i + n - 1, written.end() - (n - 1))) {
      scores[written[i + n - 1]] = minus_infinity;
    }
  }
}

}  // namespace calque
