#include "data/datasets/id_counts.h"

#include <algorithm>

#include "core/error.h"

namespace calque {

namespace {

// Counts the first `length` ids of an example. `ids` is memory to read into.
void count_example(const TokenStore& tokens, int64_t example, int column, int64_t length,
                   std::vector<int32_t>& ids, std::vector<int64_t>& counts) {
  constexpr int64_t at_once = 1 << 20;  // a document may be long
  for (int64_t begin = 0; begin < length; begin += at_once) {
    ids.clear();
    tokens.read_slice(example, column, begin, std::min(at_once, length - begin), ids);
    for (const int32_t id : ids) {
      require(id >= 0 && id < std::ssize(counts), "count_ids: id {} of a vocabulary of {}", id,
              counts.size());
      ++counts[static_cast<size_t>(id)];
    }
  }
}

}  // namespace

std::vector<int64_t> count_ids(const TokenStore& tokens, int column, int32_t vocabulary) {
  std::vector<int64_t> counts(static_cast<size_t>(vocabulary));
  std::vector<int32_t> ids;
  for (int64_t example = 0; example < tokens.count(); ++example) {
    count_example(tokens, example, column, tokens.length(example, column), ids, counts);
  }
  return counts;
}

std::vector<int64_t> count_sampled_ids(const TokenStore& tokens, int column, int32_t vocabulary,
                                       int64_t most) {
  std::vector<int64_t> counts(static_cast<size_t>(vocabulary));
  const int64_t stride = 1 + tokens.tokens() / most;
  std::vector<int32_t> ids;
  int64_t counted = 0;
  for (int64_t example = 0; example < tokens.count() && counted < most; example += stride) {
    const int64_t length = std::min(tokens.length(example, column), most);
    count_example(tokens, example, column, length, ids, counts);
    counted += length;
  }
  return counts;
}

}  // namespace calque
