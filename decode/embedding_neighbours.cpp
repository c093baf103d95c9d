#include "decode/embedding_neighbours.h"

#include <algorithm>

#include "data/tokenizers/vocabulary.h"
#include "decode/nearest_rows.h"

namespace calque {

std::vector<NearTokens> embedding_neighbours(const Tensor& table,
                                             const std::vector<int32_t>& tokens, int64_t count) {
  const NearestRows rows(table);
  std::vector<NearTokens> found;
  for (const int32_t token : tokens) {
    if (token < special_ids || std::ranges::count(found, token, &NearTokens::token)) continue;
    const auto is_other = [token](int32_t id) { return id >= special_ids && id != token; };
    found.push_back({token, rows.nearest(rows.unit(token), is_other, count)});
  }
  return found;
}

}  // namespace calque
