// Looks up rows of a table. The gradient adds the row of each token to the row of its id.

#include <algorithm>

#include "core/ops.h"
#include "core/ops/row_groups.h"
#include "core/products/compact/matrix.h"
#include "core/profile.h"
#include "core/simd/vector.h"
#include "core/threads/rows.h"

namespace calque {

Tensor embedding(const Tensor& table, std::span<const int32_t> ids, real scale) {
  require(table.shape().axes() == 2, "embedding: the table is {}, not a matrix", table.shape());
  const int64_t vocabulary = table.rows(), cols = table.cols();
  const auto tokens = static_cast<int64_t>(ids.size());
  for (const int32_t id : ids) {
    require(id >= no_token && id < vocabulary, "embedding: id {} is not in a table of {}", id,
            table.shape());
  }
  Tensor y({tokens, cols});
  const double moved = double(y.size()) * sizeof(real);  // without the table
  count_work({.bytes = 2 * moved});
  const auto scaled = [scale](Vec v) { return v * scale; };
  const CompactMatrix* const compact = table.values().compact();
  for_each_row(tokens, cols, [&](int64_t t) {
    real* row = y.data() + t * cols;
    if (ids[t] == no_token) {
      std::fill_n(row, cols, real(0));
    } else if (compact) {
      compact->copy_column(ids[t], row);
      map(cols, row, scaled, row);
    } else {
      map(cols, row, scaled, table.data() + ids[t] * cols);
    }
  });
  return record("embedding", y, {&table},
                [=, ids = std::vector<int32_t>(ids.begin(), ids.end()),
                 dtable = table.gradient()](Gradient& dy) {
                  count_work({.bytes = 3 * moved});
                  const RowGroups groups = group_by_id(ids, vocabulary);
                  real* out = dtable.open_cleared();
                  const auto count = static_cast<int64_t>(groups.starts.size()) - 1;
                  for_each_row(count, cols * 2, [&](int64_t g) {
                    for (int32_t i = groups.starts[g]; i < groups.starts[g + 1]; ++i) {
                      const int64_t t = groups.tokens[i];
                      map_into(cols, out + ids[t] * cols, true, scaled, dy.data() + t * cols);
                    }
                  });
                });
}

}  // namespace calque
