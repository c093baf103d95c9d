#include "optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.h"

namespace calque {
namespace {

void check_rate(const char* name, double rate) {
  if (!(rate >= 0 && std::isfinite(rate))) {
    fail("learning rate schedule: {} is {}; it must be 0 or a positive number", name, rate);
  }
}

void check_one(const Noam& noam) {
  check_rate("factor", noam.factor);
  if (noam.d_model < 1)
    fail("learning rate schedule: d_model is {}; give at least 1", noam.d_model);
  if (noam.warmup_steps < 1) {
    fail("learning rate schedule: noam needs at least 1 warm-up step, not {}", noam.warmup_steps);
  }
}

void check_one(const Warmup& warmup) {
  check_rate("the peak", warmup.peak);
  check_rate("warmup_from", warmup.warmup_from);
  if (warmup.warmup_steps < 0) {
    fail("learning rate schedule: {} warm-up steps; give 0 or more", warmup.warmup_steps);
  }
}

void check_one(const WholeRun& run) {
  check_rate("the peak", run.peak);
  if (run.warmup_steps < 1) {
    fail("learning rate schedule: auto needs at least 1 warm-up step, not {}", run.warmup_steps);
  }
}

template <class Falling>
void check_end(const Falling& schedule) {
  check_one(static_cast<const Warmup&>(schedule));
  check_rate("the final rate", schedule.final);
  if (schedule.total_steps <= schedule.warmup_steps) {
    fail(
        "learning rate schedule: it ends at step {}, but the warm-up takes {} steps; raise the "
        "total or shorten the warm-up",
        schedule.total_steps, schedule.warmup_steps);
  }
}
void check_one(const CosineDecay& schedule) { check_end(schedule); }
void check_one(const LinearDecay& schedule) { check_end(schedule); }

double rising(const Warmup& w, int64_t step) {
  return w.warmup_from + (w.peak - w.warmup_from) * double(step) / double(w.warmup_steps);
}

// The progress from the end of the warm-up (0) to total_steps (1).
template <class Falling>
double progress(const Falling& schedule, int64_t step) {
  return std::min(1.0, double(step - schedule.warmup_steps) /
                           double(schedule.total_steps - schedule.warmup_steps));
}

double falling(const InverseSqrt& s, int64_t step) {
  return s.peak * std::sqrt(double(std::max<int64_t>(1, s.warmup_steps)) / double(step));
}
double falling(const CosineDecay& s, int64_t step) {
  const double height = (1 + std::cos(std::numbers::pi * progress(s, step))) / 2;
  return s.final + (s.peak - s.final) * height;
}
double falling(const LinearDecay& s, int64_t step) {
  return s.final + (s.peak - s.final) * (1 - progress(s, step));
}
double falling(const Constant& s, int64_t) { return s.peak; }

template <class Kind>
double rate_of(const Kind& schedule, int64_t step, double) {
  return step < schedule.warmup_steps ? rising(schedule, step) : falling(schedule, step);
}

double rate_of(const Noam& noam, int64_t step, double) {
  const auto s = static_cast<double>(step), warmup = static_cast<double>(noam.warmup_steps);
  return noam.factor / std::sqrt(double(noam.d_model)) *
         std::min(1 / std::sqrt(s), s * std::pow(warmup, -1.5));
}

double rate_of(const WholeRun& run, int64_t step, double share_done) {
  constexpr double longest_warmup = 0.25;
  const double risen =
      std::max(double(step) / double(run.warmup_steps), share_done / longest_warmup);
  const double left = std::max(0.0, 1 - share_done) / (1 - longest_warmup);
  return run.peak * std::min({1.0, risen, left});
}

}  // namespace

void check(const Schedule& schedule) {
  std::visit([](const auto& kind) { check_one(kind); }, schedule);
}

double learning_rate(const Schedule& schedule, int64_t step, double share_done) {
  require(step >= 1, "learning_rate: steps count from 1, not from {}", step);
  return std::visit([&](const auto& kind) { return rate_of(kind, step, share_done); }, schedule);
}

InverseSqrt same_curve(const Noam& noam) {
  const double peak = noam.factor / std::sqrt(double(noam.d_model) * double(noam.warmup_steps));
  return {{.peak = peak, .warmup_steps = noam.warmup_steps}};
}

}  // namespace calque
