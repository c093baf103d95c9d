#include "optim/adafactor.h"

#include <algorithm>
#include <cmath>

#include "optim/flat_lanes.h"

namespace calque {
namespace {

AdafactorSettings checked(const AdafactorSettings& s) {
  if (!(s.decay_exponent > 0 && s.decay_exponent <= 1)) {
    fail("Adafactor: decay_exponent is {}; it must be in (0, 1]", s.decay_exponent);
  }
  // A step adds epsilon1 times step^-decay_exponent to a mean of squares, which must be a normal
  // float after a million steps.
  if (!(s.epsilon1 >= 1e-31)) {
    fail("Adafactor: epsilon1 is {}; it must be at least 1e-31, such as 1e-30", s.epsilon1);
  }
  if (!(s.epsilon2 >= 0)) fail("Adafactor: epsilon2 is {}; it must not be negative", s.epsilon2);
  if (!(s.clip_threshold > 0)) {
    fail("Adafactor: clip_threshold is {}; it must be positive", s.clip_threshold);
  }
  if (s.decay.rate != 0 && s.decay.coupling == Coupling::coupled) {
    fail("Adafactor: weight decay is always decoupled");
  }
  return s;
}

// Each chunk has a sum for each column, so it has enough rows to make the cost of these sums small.
int64_t rows_of_chunk(int64_t cols) { return std::max<int64_t>(32, rows_per_chunk(cols)); }

Vec square(Vec x) { return x * x; }

double sum_of_squares(int64_t count, const real* from) {
  return double(sum(sum_lanes(count, square, from)));
}

double add(double sum, double part) { return sum + part; }

}  // namespace

Adafactor::Adafactor(const Parameters& parameters, const AdafactorSettings& settings)
    : settings_(checked(settings)) {
  int64_t rows = 0, columns = 0, full = 0;
  for (size_t i = 0; i < parameters.entries().size(); ++i) {
    const Parameters::Entry& entry = parameters.entries()[i];
    if (entry.shape.elements() == 0 || entry.frozen()) continue;
    const bool factored = entry.shape.axes() >= 2;
    windows_.push_back({.parameter = i,
                        .offset = entry.offset,
                        .rows = factored ? entry.shape.rows() : 1,
                        .cols = factored ? entry.shape.cols() : entry.shape.elements(),
                        .factored = factored,
                        .row = rows,
                        .column = columns,
                        .full = full,
                        .decay = is_decayed(entry, settings.decay.what) ? settings.decay.rate : 0});
    const Window& window = windows_.back();
    (factored ? rows : full) += factored ? window.rows : window.cols;
    if (factored) columns += window.cols;
  }
  row_ = zeros(rows);
  column_ = zeros(columns);
  full_ = zeros(full);
}

void Adafactor::apply(const FlatUpdate& update) {
  const Step step{.beta = 1 - std::pow(double(update.step), -settings_.decay_exponent),
                  .learning_rate = update.learning_rate,
                  .gradient_factor = update.gradient_factor};
  for (const Window& window : windows_) {
    real* w = update.values.data() + window.offset;
    const real* g = update.gradients[window.parameter];
    if (window.factored) {
      apply_factored(window, step, w, g);
    } else {
      apply_full(window, step, w, g);
    }
  }
}

double Adafactor::step_size(const Window& window, const Step& step, double weight_squares,
                            double update_squares) const {
  const auto count = static_cast<double>(window.rows * window.cols);
  const double clip = std::max(1.0, std::sqrt(update_squares / count) / settings_.clip_threshold);
  const double relative = settings_.step_size == StepSize::absolute
                              ? 1
                              : std::max(settings_.epsilon2, std::sqrt(weight_squares / count));
  return step.learning_rate * relative / clip;
}

double Adafactor::update_means(const Window& window, const Step& step, const real* w,
                               const real* g) {
  const int64_t rows = window.rows, cols = window.cols, chunk = rows_of_chunk(cols);
  const auto beta = static_cast<real>(step.beta), rest = static_cast<real>(1 - step.beta);
  const auto epsilon = static_cast<real>(settings_.epsilon1);
  const Vec factor = lanes_of(step.gradient_factor);
  const auto squared = [&](Vec x) { return square(x * factor); };
  real* row = row_.data() + window.row;
  real* column = column_.data() + window.column;

  // Updates R row by row; for C each chunk sums the squares of its rows.
  const int64_t chunks = (rows + chunk - 1) / chunk;
  Buffer<real> column_sums = zeros(chunks * cols);
  const auto add_chunk = [&](int64_t begin, int64_t end) {
    real* sums = column_sums.data() + begin / chunk * cols;
    double weights = 0;
    for (int64_t i = begin; i < end; ++i) {
      const real* from = g + i * cols;
      const real mean = sum(sum_lanes(cols, squared, from)) / static_cast<real>(cols);
      row[i] = beta * row[i] + rest * (mean + epsilon);
      map_into(cols, sums, true, squared, from);
      weights += sum_of_squares(cols, w + i * cols);
    }
    return weights;
  };
  const double weight_squares = parallel_reduce(rows, chunk, 0.0, add_chunk, add);

  real* total = column_sums.data();
  for (int64_t p = 1; p < chunks; ++p) {
    map_into(cols, total, true, as_it_is, total + p * cols);
  }
  for (int64_t j = 0; j < cols; ++j) {
    column[j] = beta * column[j] + rest * (total[j] / static_cast<real>(rows) + epsilon);
  }
  return weight_squares;
}

Adafactor::Scales Adafactor::scales(const Window& window) {
  const real* row = row_.data() + window.row;
  const real* column = column_.data() + window.column;
  double row_sum = 0;
  for (int64_t i = 0; i < window.rows; ++i) row_sum += row[i];
  const auto row_mean = static_cast<real>(row_sum / double(window.rows));
  Scales scales{Buffer<real>(window.rows), Buffer<real>(window.cols)};
  // Two roots, because the quotient may be too large for a float.
  for (int64_t i = 0; i < window.rows; ++i) {
    scales.row[i] = std::sqrt(row_mean) / std::sqrt(row[i]);
  }
  for (int64_t j = 0; j < window.cols; ++j) scales.column[j] = 1 / std::sqrt(column[j]);
  return scales;
}

void Adafactor::apply_factored(const Window& window, const Step& step, real* w, const real* g) {
  const int64_t rows = window.rows, cols = window.cols, chunk = rows_of_chunk(cols);
  const double weight_squares = update_means(window, step, w, g);
  const Scales scale = scales(window);
  const real* column_scale = scale.column.data();
  const Vec factor = lanes_of(step.gradient_factor);
  const auto update_of_row = [&](int64_t i) {
    const Vec row_scale = broadcast(scale.row[i]);
    return [row_scale, factor](Vec x, Vec c) { return x * factor * c * row_scale; };
  };

  const auto update_squares_of = [&](int64_t begin, int64_t end) {
    double squares = 0;
    for (int64_t i = begin; i < end; ++i) {
      const auto squared = [u = update_of_row(i)](Vec x, Vec c) { return square(u(x, c)); };
      squares += double(sum(sum_lanes(cols, squared, g + i * cols, column_scale)));
    }
    return squares;
  };
  const double update_squares = parallel_reduce(rows, chunk, 0.0, update_squares_of, add);

  const Vec rate = lanes_of(step_size(window, step, weight_squares, update_squares));
  const Vec shrink = lanes_of(1 - step.learning_rate * window.decay);
  parallel_for(rows, chunk, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto moved = [&, u = update_of_row(i)](Vec weight, Vec x, Vec c) {
        return weight * shrink - rate * u(x, c);
      };
      map(cols, w + i * cols, moved, w + i * cols, g + i * cols, column_scale);
    }
  });
}

void Adafactor::apply_full(const Window& window, const Step& step, real* w, const real* g) {
  const Vec beta = lanes_of(step.beta), rest = lanes_of(1 - step.beta);
  const Vec factor = lanes_of(step.gradient_factor);
  const Vec epsilon = lanes_of(settings_.epsilon1);
  real* v = full_.data() + window.full;
  const auto u = [factor](Vec x, Vec square_mean) { return x * factor / sqrt(square_mean); };
  const auto new_mean = [&](Vec before, Vec x) {
    return before * beta + rest * (square(x * factor) + epsilon);
  };
  map(window.cols, v, new_mean, v, g);
  // In the padding v is 0, and 0 / 0 must not be counted.
  const auto update_square = [&](Vec x, Vec mean) {
    return square(u(x, mean > real(0) ? mean : broadcast(1)));
  };
  const double update_squares = double(sum(sum_lanes(window.cols, update_square, g, v)));
  const Vec rate =
      lanes_of(step_size(window, step, sum_of_squares(window.cols, w), update_squares));
  const Vec shrink = lanes_of(1 - step.learning_rate * window.decay);
  const auto moved = [&](Vec weight, Vec x, Vec mean) {
    return weight * shrink - rate * u(x, mean);
  };
  map(window.cols, w, moved, w, g, v);
}

std::vector<StateWindow> Adafactor::state() {
  std::vector<StateWindow> windows;
  if (row_.size() > 0) {
    windows.push_back({"adafactor.row", span_of(row_)});
    windows.push_back({"adafactor.column", span_of(column_)});
  }
  if (full_.size() > 0) windows.push_back({"adafactor.full", span_of(full_)});
  return windows;
}

}  // namespace calque
