#pragma once
// The learning rate of each step; steps count from 1.
//
// `Noam` and `InverseSqrt` are the same curve with different parameters for its height.
// InverseSqrt, as in fairseq and Marian, has the peak itself. Noam, as in Vaswani et al. (2017),
// has a factor; its peak, at step = warmup_steps, is
//
//   peak = factor * (d_model * warmup_steps)^-0.5
//
// With d_model 512 and 4000 warm-up steps, a factor of 1 gives a peak of 0.0007, so a Noam factor
// used as a peak is more than a thousand times too high. same_curve() converts.

#include <cstdint>
#include <variant>

namespace calque {

// factor * d_model^-0.5 * min(step^-0.5, step * warmup_steps^-1.5)   (Vaswani et al., section 5.3)
struct Noam {
  double factor = 1;
  int64_t d_model = 512;
  int64_t warmup_steps = 4000;
};

// InverseSqrt, CosineDecay, LinearDecay and Constant rise linearly to the peak at step =
// warmup_steps: warmup_from + (peak - warmup_from) * step / warmup_steps. With 0 warm-up steps they
// start at the peak.
struct Warmup {
  double peak = 5e-4;
  int64_t warmup_steps = 0;
  double warmup_from = 0;  // fairseq's warmup-init-lr
};

// After the warm-up: peak * sqrt(warmup_steps / step), or peak / sqrt(step) without a warm-up.
struct InverseSqrt : Warmup {};

// From the peak to `final` at total_steps along half a cosine (Loshchilov and Hutter, 2017, without
// restarts); `final` afterwards.
struct CosineDecay : Warmup {
  int64_t total_steps = 0;
  double final = 0;
};

// From the peak to `final` at total_steps, linearly; `final` afterwards.
struct LinearDecay : Warmup {
  int64_t total_steps = 0;
  double final = 0;
};

// The peak at all steps after the warm-up.
struct Constant : Warmup {};

// Depends on the completed share of the run, so that it fits a run of any length, also a run whose
// number of updates is unknown. It rises to the peak over warmup_steps, or over a quarter of the
// run if that is shorter, and falls on a straight line to 0 over the last three quarters.
struct WholeRun {
  double peak = 5e-4;
  int64_t warmup_steps = 4000;
};

using Schedule = std::variant<Noam, InverseSqrt, CosineDecay, LinearDecay, Constant, WholeRun>;

// Throws an Error for invalid settings: a negative rate, an end before the end of the warm-up.
void check(const Schedule& schedule);

// The rate of an update; step >= 1. `share_done` is the share of the run before the update; only
// WholeRun uses it. The schedule must have passed check().
double learning_rate(const Schedule& schedule, int64_t step, double share_done = 0);

InverseSqrt same_curve(const Noam& noam);

}  // namespace calque
