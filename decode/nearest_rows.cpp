#include "decode/nearest_rows.h"

#include <algorithm>
#include <cmath>

#include "core/products/compact/matrix.h"

namespace calque {
namespace {

template <class A, class B>
double product(const A& a, const B& b) {
  double sum = 0;
  for (size_t k = 0; k < a.size(); ++k) sum += double(a[k]) * double(b[k]);
  return sum;
}

template <class Vector>
double length_of(const Vector& vector) {
  return std::max(std::sqrt(product(vector, vector)), 1e-30);
}

}  // namespace

NearestRows::NearestRows(Tensor table) : table_(std::move(table)) {
  if (const CompactMatrix* const compact = table_.values().compact()) {
    table_ = Tensor(table_.shape());
    compact->copy_rows(0, table_.rows(), table_.data());
  }
  for (int64_t i = 0; i < table_.rows(); ++i) lengths_.push_back(length_of(row(i)));
}

std::span<const real> NearestRows::row(int64_t index) const {
  const auto size = static_cast<size_t>(table_.cols());
  return table_.span().subspan(static_cast<size_t>(index) * size, size);
}

std::vector<double> NearestRows::unit(int32_t number) const {
  std::vector<double> unit;
  for (const real v : row(number)) unit.push_back(v / lengths_[static_cast<size_t>(number)]);
  return unit;
}

std::vector<NearRow> NearestRows::nearest(const std::vector<double>& to,
                                          const std::function<bool(int32_t)>& is_candidate,
                                          int64_t count) const {
  const double length = length_of(to);
  std::vector<NearRow> all;
  for (int32_t i = 0; i < table_.rows(); ++i) {
    if (!is_candidate(i)) continue;
    const double cosine = product(to, row(i)) / (length * lengths_[static_cast<size_t>(i)]);
    all.push_back({i, cosine});
  }
  const auto middle = all.begin() + std::min(count, std::ssize(all));
  std::ranges::partial_sort(all, middle, [](const NearRow& a, const NearRow& b) {
    return a.cosine != b.cosine ? a.cosine > b.cosine : a.row < b.row;
  });
  all.erase(middle, all.end());
  return all;
}

}  // namespace calque
