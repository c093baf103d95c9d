#include "data/batches/examples.h"

#include <limits>

#include "core/error.h"

namespace calque {

std::vector<int32_t> costs_of(const TokenStore& store, std::span<const int> columns) {
  std::vector<int32_t> costs(store.count());
  for (int64_t example = 0; example < store.count(); ++example) {
    int64_t cost = 0;
    for (const int column : columns) cost += store.length(example, column) + 1;
    require(cost < std::numeric_limits<int32_t>::max(), "costs_of: example {} of {} tokens",
            example, cost);
    costs[example] = static_cast<int32_t>(cost);
  }
  return costs;
}

ExampleSet examples_of(const Dataset& dataset, std::span<const int> cost_columns) {
  return {
      .costs = costs_of(*dataset.tokens, cost_columns),
      .parts = dataset.ranges(),
      .read = [tokens = dataset.tokens](int64_t, int64_t example,
                                        Example& out) { tokens->read(example, out); },
      .where = [dataset](int64_t example) { return dataset.where(dataset.tokens->line(example)); }};
}

}  // namespace calque
