#pragma once
// A small vocabulary with bytes and longer tokens, and outputs that follow a constraint at random.

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/real.h"
#include "data/tokenizers/vocabulary.h"
#include "decode/constraints/output_constraint.h"

namespace calque {

// Three special tokens, all bytes, and tokens of several bytes, some of which end inside a
// character.
inline std::vector<std::string> small_spellings() {
  std::vector<std::string> all(special_ids);
  for (int byte = 0; byte < 256; ++byte) all.emplace_back(1, static_cast<char>(byte));
  for (const char* text :
       {"ab", "abc",  "\": ", "\",",      "{\"",      "\"}",          "}, {",  "[1",
        "]]", "true", "null", "\xC3\xA9", "\xE2\x82", "\xE2\x82\xAC", "a\xE2", "\xAC\"",
        " ",  "  ",   "\n  ", "12",       "00",       "-1",           "ab"}) {
    all.emplace_back(text);
  }
  return all;
}

inline std::vector<int32_t> allowed_tokens(const ConstrainedText& text, int32_t vocabulary) {
  std::vector<real> scores(static_cast<size_t>(vocabulary), 0);
  text.forbid_tokens(scores);
  std::vector<int32_t> ids;
  for (int32_t id = 0; id < vocabulary; ++id) {
    if (scores[static_cast<size_t>(id)] > minus_infinity) ids.push_back(id);
  }
  return ids;
}

// A text of allowed tokens, each drawn with equal chance, but every other one closes
// something if it can once the text is long. Nothing if it has not ended after `most` tokens, or if
// no token is allowed.
inline std::optional<std::string> random_output(
    const std::shared_ptr<const OutputConstraint>& constraint, std::mt19937& random,
    int most = 20'000) {
  ConstrainedText text(constraint, {end_id}, {});
  std::string written;
  for (int count = 0; count < most && !text.is_complete(); ++count) {
    std::vector<int32_t> ids = allowed_tokens(text, constraint->vocabulary().size());
    if (ids.empty()) return std::nullopt;
    const auto closing = std::ranges::find_if(ids, [&](int32_t id) {
      return id == end_id || text.spelling(id).find_first_of("]}\"") == 0;
    });
    if (count > 200 && count % 2 == 0 && closing != ids.end()) ids = {*closing};
    const int32_t id = ids[random() % ids.size()];
    if (id == end_id) return written;
    written += text.spelling(id);
    text.append(id);
  }
  return text.is_complete() ? std::optional(written) : std::nullopt;
}

}  // namespace calque
