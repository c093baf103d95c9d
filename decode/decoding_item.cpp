#include "decode/decoding_item.h"

#include <algorithm>

#include "core/real.h"

namespace calque {
namespace {

constexpr real never = minus_infinity;

void leave_only(int32_t id, std::span<real> scores) {
  const real score = scores[static_cast<size_t>(id)];
  std::ranges::fill(scores, never);
  scores[static_cast<size_t>(id)] = score;
}

}  // namespace

void forbid_tokens(const DecodingItem& item, const TokenRules& rules,
                   std::span<const int32_t> written, std::span<real> scores) {
  const int64_t length = std::ssize(written);
  if (length < std::ssize(item.prefix)) {
    return leave_only(item.prefix[static_cast<size_t>(length)], scores);
  }
  if (length >= item.longest) return leave_only(end_id, scores);
  scores[begin_id] = never;
  if (!rules.allow_unknown) scores[unknown_id] = never;
  if (length < item.shortest) scores[end_id] = never;
  const int64_t n = rules.no_repeat_ngram;
  if (n <= 0) return;
  for (int64_t i = 0; i + n <= length; ++i) {  // are written[i, i + n - 1) the last n - 1 tokens?
    if (std::equal(written.begin() + i, written.begin() + i + n - 1, written.end() - (n - 1))) {
      scores[static_cast<size_t>(written[static_cast<size_t>(i + n - 1)])] = never;
    }
  }
}

}  // namespace calque
