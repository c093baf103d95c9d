#include "optim/muon.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/products/blas.h"
#include "optim/flat_lanes.h"

namespace calque {
namespace {

MuonSettings checked(const MuonSettings& s) {
  if (!(s.momentum >= 0 && s.momentum < 1)) {
    fail("Muon: momentum is {}; it must be in [0, 1)", s.momentum);
  }
  if (!(s.scale > 0 && std::isfinite(s.scale))) {
    fail("Muon: scale is {}; it must be positive, such as 0.2", s.scale);
  }
  if (s.decay.rate != 0 && s.decay.coupling == Coupling::coupled) {
    fail("Muon: weight decay is always decoupled");
  }
  return s;
}

bool follows_muon(const Parameters::Entry& entry) {
  return entry.role == Role::weight && entry.shape.axes() == 2 && entry.shape.rows() > 1 &&
         entry.shape.cols() > 1;
}

// About the multiplications of orthogonalise().
double cost_of(const Shape& shape) {
  const double a = double(shape.rows()), b = double(shape.cols()), n = std::min(a, b);
  return n * n * (1.5 * std::max(a, b) + 8 * n);
}

// The quintic a x + b x^3 + c x^5, whose slope at 0 is as large as possible while the values that
// follow from (0, 1] stay near 1.
constexpr real slope = real(3.4445), cubic = real(-4.7750), quintic = real(2.0315);
constexpr int iterations = 5;

// to = a b for n rows and columns of a product that is symmetric: computes blocks on and below the
// diagonal and copies them above it.
void symmetric_product(const Matrix& a, const Matrix& b, int64_t n, real* to) {
  constexpr int64_t block = 64;
  for (int64_t i = 0; i < n; i += block) {
    const Matrix columns = transposed(rows_of(transposed(b), i, std::min(i + block, n)));
    gemm(rows_of(a, i, n), columns, Sink{to + i * n + i, false}, 1, n);
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = i + 1; j < n; ++j) to[i * n + j] = to[j * n + i];
  }
}

}  // namespace

// The iteration X = P(A) X with A = X X^T and P(A) = a I + b A + c A A is a product Q X, whose
// factors commute with A: A becomes P A P. So the long side of X takes part in two products alone,
// and all others are symmetric.
void orthogonalise(std::span<real> matrix, int64_t rows, int64_t cols) {
  double squares = 0;
  for (const real x : matrix) squares += double(x) * double(x);
  const auto factor = static_cast<real>(1 / std::max(std::sqrt(squares), 1e-7));
  for (real& x : matrix) x *= factor;

  const int64_t n = std::min(rows, cols), size = n * n;
  const Matrix x{matrix.data(), rows, cols};
  Buffer<real> a(size), p(size), q(size), scratch(size);
  const auto square = [n](const Buffer<real>& m) { return Matrix{m.data(), n, n}; };
  symmetric_product(rows <= cols ? x : transposed(x), rows <= cols ? transposed(x) : x, n,
                    a.data());
  for (int step = 0; step < iterations; ++step) {
    symmetric_product(square(a), square(a), n, p.data());
    for (int64_t i = 0; i < size; ++i) p[i] = cubic * a[i] + quintic * p[i];
    for (int64_t i = 0; i < n; ++i) p[i * n + i] += slope;
    if (step == 0) {
      std::copy_n(p.data(), size, q.data());
    } else {
      symmetric_product(square(p), square(q), n, scratch.data());
      std::swap(q, scratch);
    }
    if (step + 1 == iterations) break;
    symmetric_product(square(p), square(a), n, scratch.data());
    symmetric_product(square(scratch), square(p), n, a.data());
  }
  Buffer<real> result(rows * cols);
  if (rows <= cols) {
    gemm(square(q), x, result.data());
  } else {
    gemm(x, square(q), result.data());
  }
  std::copy_n(result.data(), matrix.size(), matrix.data());
}

Muon::Parts Muon::parts_of(const Parameters& parameters) {
  Parts parts;
  const auto& entries = parameters.entries();
  for (size_t i = 0; i < entries.size(); ++i) {
    const int64_t begin = entries[i].offset, size = entries[i].shape.elements();
    if (size == 0 || entries[i].frozen()) continue;
    if (follows_muon(entries[i])) {
      parts.matrices.push_back({begin, begin + size});
      parts.parameters.push_back(i);
    } else {
      const bool last = i + 1 == entries.size();
      parts.rest.push_back({begin, last ? parameters.flat_size() : entries[i + 1].offset});
    }
  }
  return parts;
}

Muon::Muon(const Parameters& parameters, const MuonSettings& settings, const FlatRanges& ranges)
    : settings_(checked(settings)),
      parts_(parts_of(parameters)),
      adam_(parameters, {settings.beta1, settings.beta2, settings.epsilon, settings.decay},
            common(ranges, parts_.rest)) {
  int64_t size = 0;
  for (size_t i = 0; i < parts_.matrices.size(); ++i) {
    const FlatRange matrix = parts_.matrices[i];
    const FlatRanges own = common(ranges, {matrix});
    if (own.empty()) continue;
    require(own.front() == matrix, "Muon: a range has a part of a matrix");
    const Parameters::Entry& entry = parameters.entries()[parts_.parameters[i]];
    const double decay = is_decayed(entry, settings.decay.what) ? settings.decay.rate : 0;
    windows_.push_back(
        {parts_.parameters[i], matrix.begin, entry.shape.rows(), entry.shape.cols(), size, decay});
    matrices_.push_back(matrix);
    size += matrix.size();
  }
  m_ = zeros(size);
}

std::vector<FlatRanges> Muon::divide(const Parameters& parameters,
                                     std::span<const FlatRange> shares) {
  const Parts parts = parts_of(parameters);
  struct Matrix {
    double cost;
    FlatRange range;
  };
  std::vector<Matrix> matrices;
  for (size_t i = 0; i < parts.matrices.size(); ++i) {
    const Shape& shape = parameters.entries()[parts.parameters[i]].shape;
    matrices.push_back({cost_of(shape), parts.matrices[i]});
  }
  std::ranges::stable_sort(matrices, std::greater(), &Matrix::cost);

  std::vector<FlatRanges> divided;
  for (const FlatRange& share : shares) divided.push_back(common(parts.rest, {share}));
  std::vector<double> costs(shares.size());
  for (const Matrix& matrix : matrices) {
    const auto least = std::ranges::min_element(costs);
    *least += matrix.cost;
    divided[static_cast<size_t>(least - costs.begin())].push_back(matrix.range);
  }
  for (FlatRanges& ranges : divided) std::ranges::sort(ranges);
  return divided;
}

void Muon::apply(const FlatUpdate& update) {
  adam_.apply(update);
  parallel_for(std::ssize(windows_), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) move(windows_[static_cast<size_t>(i)], update);
  });
}

void Muon::move(const Window& window, const FlatUpdate& update) {
  const auto keep = static_cast<real>(settings_.momentum), rest = real(1) - keep;
  const auto factor = static_cast<real>(update.gradient_factor);
  const real* g = update.gradients[window.parameter];
  real* m = m_.data() + window.state;
  Buffer<real> moved(window.size());
  for (int64_t i = 0; i < window.size(); ++i) {
    const real gradient = g[i] * factor;
    m[i] = keep * m[i] + rest * gradient;
    moved[i] = keep * m[i] + rest * gradient;
  }
  orthogonalise(span_of(moved), window.rows, window.cols);

  const double longest = static_cast<double>(std::max(window.rows, window.cols));
  const auto rate = static_cast<real>(update.learning_rate * settings_.scale * std::sqrt(longest));
  const auto shrink = static_cast<real>(1 - update.learning_rate * window.decay);
  real* w = update.values.data() + window.offset;
  for (int64_t i = 0; i < window.size(); ++i) w[i] = w[i] * shrink - rate * moved[i];
}

std::vector<StateWindow> Muon::state() {
  std::vector<StateWindow> all{{"muon.m", span_of(m_), positions(matrices_, parts_.matrices)}};
  for (StateWindow& window : adam_.state()) {
    window.pieces = positions(window.pieces, parts_.rest);
    all.push_back(std::move(window));
  }
  return all;
}

}  // namespace calque
