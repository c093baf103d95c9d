#include "data/datasets/id_counts.h"

#include <algorithm>

#include "core/error.h"

namespace calque {

std::vector<int64_t> count_ids(const TokenStore& tokens, int column, int32_t vocabulary) {
  constexpr int64_t at_once = 1 << 20;  // a document may be long
  std::vector<int64_t> counts(static_cast<size_t>(vocabulary));
  std::vector<int32_t> ids;
  for (int64_t example = 0; example < tokens.count(); ++example) {
    const int64_t length = tokens.length(example, column);
    for (int64_t begin = 0; begin < length; begin += at_once) {
      ids.clear();
      tokens.read_slice(example, column, begin, std::min(at_once, length - begin), ids);
      for (const int32_t id : ids) {
        require(id >= 0 && id < vocabulary, "count_ids: id {} of a vocabulary of {}", id,
                vocabulary);
        ++counts[static_cast<size_t>(id)];
      }
    }
  }
  return counts;
}

}  // namespace calque
