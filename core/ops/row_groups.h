#pragma once
// Tokens grouped by id, for the gradient of an embedding table: one thread adds the rows of all
// tokens with the same id in order, so that the sum does not depend on the number of threads.

#include <cstdint>
#include <span>
#include <vector>

namespace calque {

// The indices of the tokens, sorted by id and then by index; where each id that occurs starts among
// them, and the end. Tokens with a negative id are omitted.
struct RowGroups {
  std::vector<int32_t> tokens;
  std::vector<int32_t> starts;
};

inline RowGroups group_by_id(std::span<const int32_t> ids, int64_t vocabulary) {
  std::vector<int32_t> next(static_cast<size_t>(vocabulary) + 1);
  for (const int32_t id : ids) {
    if (id >= 0) ++next[id + 1];
  }
  RowGroups groups;
  for (int64_t id = 0; id < vocabulary; ++id) {
    if (next[id + 1] > 0) groups.starts.push_back(next[id]);
    next[id + 1] += next[id];
  }
  groups.starts.push_back(next.back());
  groups.tokens.resize(static_cast<size_t>(next.back()));
  for (size_t t = 0; t < ids.size(); ++t) {
    if (ids[t] >= 0) groups.tokens[next[ids[t]]++] = static_cast<int32_t>(t);
  }
  return groups;
}

}  // namespace calque
