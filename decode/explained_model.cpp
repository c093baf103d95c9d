#include "decode/explained_model.h"

#include <algorithm>

namespace calque {

void add_heads(std::vector<ExplainedHead>& heads, int layer, const AttentionRecord& record,
               const std::string& name) {
  const Tensor& weights = record.at(name).sentences.front();  // [heads, queries, keys]
  const int64_t queries = weights.shape()[1], keys = weights.shape()[2];
  const auto size = static_cast<size_t>(queries * keys);
  for (int64_t head = 0; head < weights.shape()[0]; ++head) {
    const auto values = weights.span().subspan(static_cast<size_t>(head) * size, size);
    heads.push_back(
        {layer, static_cast<int>(head), {queries, keys, {values.begin(), values.end()}}});
  }
}

std::vector<std::vector<float>> rows_of(const Tensor& logits) {
  std::vector<std::vector<float>> rows;
  const auto vocabulary = static_cast<size_t>(logits.cols());
  for (int64_t t = 0; t < logits.rows(); ++t) {
    const auto row = logits.span().subspan(static_cast<size_t>(t) * vocabulary, vocabulary);
    rows.emplace_back(row.begin(), row.end());
  }
  return rows;
}

ExplainedMatrix explained_positions(const LayerOptions& options, const Positions& positions) {
  if (options.positions == PositionKind::rotary || options.positions == PositionKind::none) {
    return {};
  }
  constexpr int64_t shown = 64;
  const Tensor table = options.positions == PositionKind::learned
                           ? positions.table
                           : sinusoids(options.positions, shown, options.d_model);
  const int64_t rows = std::min(shown, table.rows());
  const auto values = table.span().first(static_cast<size_t>(rows * options.d_model));
  return {rows, options.d_model, {values.begin(), values.end()}};
}

}  // namespace calque
