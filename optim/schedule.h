#pragma once
// Learning rates by the number of the step, which counts from 1 for the first update.
//
// `Noam` and `InverseSqrt` are the same curve under two names of its height, and are often
// confused. Noam, as in the paper, gives no rate at all: factor and d_model decide it, and the top
// of the curve, at step = warmup_steps, is
//
//   peak = factor * (d_model * warmup_steps)^-0.5
//
// so with d_model 512 and 4000 steps of warm-up a factor of 1 is a peak of 0.0007, and halving the
// warm-up raises the peak by sqrt(2). InverseSqrt, as in fairseq and Marian, gives the peak itself.
// same_curve() below converts. The 2 of a noam recipe, taken for the peak of an inverse_sqrt one,
// is a rate more than a thousand times too high.

#include <cstdint>
#include <variant>

namespace calque {

// factor * d_model^-0.5 * min(step^-0.5, step * warmup_steps^-1.5)     (Vaswani et al.,
// section 5.3)
struct Noam {
  double factor = 1;
  int64_t d_model = 512;
  int64_t warmup_steps = 4000;
};

// All others rise on a straight line, warmup_from + (peak - warmup_from) * step / warmup_steps,
// reach the peak at step = warmup_steps (from the first step on if that is 0), and then go their
// own way.
struct Warmup {
  double peak = 5e-4;
  int64_t warmup_steps = 0;
  double warmup_from = 0;  // fairseq's warmup-init-lr
};

// peak * sqrt(warmup_steps / step); without warm-up peak / sqrt(step).
struct InverseSqrt : Warmup {};

// From the peak to `final` at total_steps along half a cosine (Loshchilov and Hutter, 2017, without
// restarts); `final` afterwards.
struct CosineDecay : Warmup {
  int64_t total_steps = 0;
  double final = 0;
};

// From the peak to `final` at total_steps on a straight line; `final` afterwards.
struct LinearDecay : Warmup {
  int64_t total_steps = 0;
  double final = 0;
};

// The peak for ever.
struct Constant : Warmup {};

// Follows the share of the run that is done, so that it fits a run of any length, also one whose
// number of updates is unknown. It rises to the peak over warmup_steps, or over a quarter of the
// run if that is shorter, and falls on a straight line to 0 over the last three quarters.
struct WholeRun {
  double peak = 5e-4;
  int64_t warmup_steps = 4000;
};

using Schedule = std::variant<Noam, InverseSqrt, CosineDecay, LinearDecay, Constant, WholeRun>;

// Fails if the schedule makes no sense: a negative rate, an end before the warm-up's.
void check(const Schedule& schedule);

// The rate of an update; step >= 1. `share_done` is the share of the run before it, which only
// WholeRun uses. The schedule must have passed check().
double learning_rate(const Schedule& schedule, int64_t step, double share_done = 0);

InverseSqrt same_curve(const Noam& noam);

}  // namespace calque
