#pragma once
// Adafactor (Shazeer and Stern, "Adafactor: adaptive learning rates with sublinear memory cost",
// 2018, algorithms 4 and 5, without momentum). Of a matrix's squared gradients it stores only
// the means R of the rows and C of the columns: n + m numbers instead of Adam's 2 n m.
//
//   beta = 1 - t^-decay_exponent
//   R_i = beta R_i + (1 - beta) (mean_j g_ij^2 + epsilon1)     C_j likewise, down the columns
//   V_ij = R_i C_j / mean(R)             U = g / sqrt(V)
//   w = w - step U / max(1, rms(U) / clip_threshold)
//
// where step is learning_rate * max(epsilon2, rms(w)) or, if `absolute`, learning_rate. A parameter
// with fewer than two axes stores all of V. The paper's own learning rate, min(0.01, t^-0.5),
// is the schedule InverseSqrt{.peak = 0.01, .warmup_steps = 10000, .warmup_from = 0.01}.

#include "optim/flat.h"

namespace calque {

enum class StepSize { relative_to_weights, absolute };

struct AdafactorSettings {
  double decay_exponent = 0.8;
  double epsilon1 = 1e-30;
  double epsilon2 = 1e-3;
  double clip_threshold = 1;
  StepSize step_size = StepSize::relative_to_weights;
  WeightDecay decay = {};  // always decoupled
};

class Adafactor {
 public:
  Adafactor(const Parameters& parameters, const AdafactorSettings& settings);
  void apply(const FlatUpdate& update);
  std::vector<StateWindow> state();  // adafactor.row, adafactor.column, adafactor.full

 private:
  // A parameter, and the offsets of its state in row_ and column_, or in full_.
  struct Window {
    size_t parameter;
    int64_t offset, rows, cols;
    bool factored;
    int64_t row, column, full;
    double decay;
  };
  // The numbers of a step that all parameters share.
  struct Step {
    double beta, learning_rate, gradient_factor;
  };
  // 1 / sqrt(V) of a matrix, as a factor for each row and each column.
  struct Scales {
    Buffer<real> row, column;
  };
  // Updates R and C; returns the sum of the squared weights.
  double update_means(const Window& window, const Step& step, const real* w, const real* g);
  Scales scales(const Window& window);
  void apply_factored(const Window& window, const Step& step, real* w, const real* g);
  void apply_full(const Window& window, const Step& step, real* w, const real* g);
  double step_size(const Window& window, const Step& step, double weight_squares,
                   double update_squares) const;

  AdafactorSettings settings_;
  std::vector<Window> windows_;
  Buffer<real> row_, column_, full_;
};

}  // namespace calque
