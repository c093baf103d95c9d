#include "decode/embedding_neighbours.h"

#include <algorithm>
#include <cmath>

#include "data/vocabulary.h"

namespace calque {
namespace {

double product(const Tensor& table, int64_t a, int64_t b) {
  const real *x = table.data() + a * table.cols(), *y = table.data() + b * table.cols();
  double sum = 0;
  for (int64_t k = 0; k < table.cols(); ++k) sum += double(x[k]) * double(y[k]);
  return sum;
}

}  // namespace

std::vector<NearTokens> embedding_neighbours(const Tensor& table,
                                             const std::vector<int32_t>& tokens, size_t count) {
  std::vector<double> lengths;
  for (int64_t row = 0; row < table.rows(); ++row) {
    lengths.push_back(std::max(std::sqrt(product(table, row, row)), 1e-30));
  }
  std::vector<NearTokens> found;
  for (const int32_t token : tokens) {
    if (token < special_ids || std::ranges::count(found, token, &NearTokens::token)) continue;
    NearTokens near{token, {}};
    for (int32_t other = special_ids; other < table.rows(); ++other) {
      if (other == token) continue;
      const double cosine = product(table, token, other) / (lengths[static_cast<size_t>(token)] *
                                                            lengths[static_cast<size_t>(other)]);
      near.nearest.push_back({other, static_cast<float>(cosine)});
    }
    const size_t kept = std::min(count, near.nearest.size());
    std::ranges::partial_sort(near.nearest, near.nearest.begin() + static_cast<int64_t>(kept),
                              [](const NearTokens::Near& a, const NearTokens::Near& b) {
                                return a.cosine != b.cosine ? a.cosine > b.cosine
                                                            : a.token < b.token;
                              });
    near.nearest.resize(kept);
    found.push_back(std::move(near));
  }
  return found;
}

}  // namespace calque
