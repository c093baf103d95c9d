#include "interop/parameters/walk.h"

#include <numeric>

namespace calque {
namespace {

Tensor select_columns(const Tensor& own, const std::vector<int64_t>& columns) {
  Tensor out(own.shape().with_cols(std::ssize(columns)));
  real* to = out.data();
  for (int64_t row = 0; row < own.rows(); ++row) {
    for (const int64_t column : columns) *to++ = own.data()[row * own.cols() + column];
  }
  return out;
}

}  // namespace

std::vector<int64_t> column_range(int64_t begin, int64_t end) {
  std::vector<int64_t> columns(static_cast<size_t>(end - begin));
  std::iota(columns.begin(), columns.end(), begin);
  return columns;
}

void ParameterWalk::linear(const std::string& name, const Linear& linear,
                           std::vector<int64_t> columns) {
  tensor(name + ".weight", linear.weight, {columns, true});
  if (linear.bias) tensor(name + ".bias", linear.bias, {std::move(columns), false});
}

void ParameterWalk::norm(const std::string& name, const Norm& norm) {
  tensor(name + ".weight", norm.gain.stored);
  if (norm.bias) tensor(name + ".bias", norm.bias);
}

void ListingWalk::tensor(const std::string& name, const Tensor& own, const Placement& placement) {
  const Tensor part = placement.columns.empty() ? own : select_columns(own, placement.columns);
  list.push_back({name, placement.transposed ? transposed(part) : part});
}

void ListingWalk::table(const std::string& name, const Tensor& own, Side, real factor) {
  const Tensor rows = kept_ ? kept_->rows(own) : own;
  list.push_back({name, factor == 1 ? rows : scaled(rows, factor)});
}

}  // namespace calque
