#include "optim/schedule.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/error.h"

using namespace calque;
using doctest::Approx;

namespace {

// peak 0.5, 10 steps of warm-up from 0.1
constexpr Warmup warmup{.peak = 0.5, .warmup_steps = 10, .warmup_from = 0.1};

}  // namespace

TEST_CASE("noam rises to factor * (d_model * warmup)^-0.5 and falls with the root of the step") {
  const Schedule noam = Noam{.factor = 2, .d_model = 512, .warmup_steps = 4000};
  const double peak = 2 / std::sqrt(512.0 * 4000);
  CHECK(learning_rate(noam, 1) == Approx(peak / 4000).epsilon(1e-12));
  CHECK(learning_rate(noam, 2000) == Approx(peak / 2).epsilon(1e-12));
  CHECK(learning_rate(noam, 4000) == Approx(peak).epsilon(1e-12));
  CHECK(learning_rate(noam, 16000) == Approx(peak / 2).epsilon(1e-12));
}

TEST_CASE("noam equals the inverse square root schedule that same_curve() returns") {
  const Noam noam{.factor = 1.5, .d_model = 256, .warmup_steps = 300};
  for (const int64_t step : {1, 2, 150, 299, 300, 301, 5000}) {
    CHECK(learning_rate(noam, step) ==
          Approx(learning_rate(same_curve(noam), step)).epsilon(1e-12));
  }
}

TEST_CASE("every warm-up is a straight line from warmup_from to the peak") {
  for (const Schedule& schedule :
       {Schedule(InverseSqrt{warmup}), Schedule(CosineDecay{warmup, 30, 0}),
        Schedule(LinearDecay{warmup, 30, 0}), Schedule(Constant{warmup})}) {
    CHECK(learning_rate(schedule, 1) == Approx(0.14).epsilon(1e-12));
    CHECK(learning_rate(schedule, 5) == Approx(0.3).epsilon(1e-12));
    CHECK(learning_rate(schedule, 10) == Approx(0.5).epsilon(1e-12));
  }
}

TEST_CASE("after the warm-up each schedule follows its formula") {
  CHECK(learning_rate(InverseSqrt{warmup}, 40) == Approx(0.25).epsilon(1e-12));
  CHECK(learning_rate(CosineDecay{warmup, 30, 0.1}, 15) ==
        Approx(0.1 + 0.4 * (1 + std::sqrt(0.5)) / 2).epsilon(1e-12));
  CHECK(learning_rate(CosineDecay{warmup, 30, 0.1}, 20) == Approx(0.3).epsilon(1e-12));
  CHECK(learning_rate(CosineDecay{warmup, 30, 0.1}, 30) == Approx(0.1).epsilon(1e-12));
  CHECK(learning_rate(CosineDecay{warmup, 30, 0.1}, 1000) == Approx(0.1).epsilon(1e-12));
  CHECK(learning_rate(LinearDecay{warmup, 30, 0.1}, 15) == Approx(0.4).epsilon(1e-12));
  CHECK(learning_rate(LinearDecay{warmup, 30, 0.1}, 1000) == Approx(0.1).epsilon(1e-12));
  CHECK(learning_rate(Constant{warmup}, 1000) == 0.5);
}

TEST_CASE("without warm-up the first step has the peak rate") {
  CHECK(learning_rate(InverseSqrt{{.peak = 0.5}}, 1) == 0.5);
  CHECK(learning_rate(InverseSqrt{{.peak = 0.5}}, 4) == 0.25);
  CHECK(learning_rate(Constant{{.peak = 0.5}}, 1) == 0.5);
}

TEST_CASE("Adafactor's own rates are an inverse square root with a flat warm-up") {
  const InverseSqrt schedule{{.peak = 0.01, .warmup_steps = 10000, .warmup_from = 0.01}};
  for (const int64_t step : {1, 100, 10000, 40000}) {
    CHECK(learning_rate(schedule, step) ==
          Approx(std::min(0.01, 1 / std::sqrt(double(step)))).epsilon(1e-12));
  }
}

TEST_CASE("the schedule of a whole run rises for at most a quarter of the run and ends at 0") {
  const WholeRun run{.peak = 0.4, .warmup_steps = 100};
  CHECK(learning_rate(run, 1, 0) == Approx(0.004));    // a hundredth of the rise
  CHECK(learning_rate(run, 50, 0.01) == Approx(0.2));  // a long run: 100 steps of warm-up
  CHECK(learning_rate(run, 100, 0.02) == Approx(0.4));
  CHECK(learning_rate(run, 1000, 0.2) == Approx(0.4));  // the peak until a quarter is done
  CHECK(learning_rate(run, 5, 0.125) == Approx(0.2));   // a short run: half of its quarter
  CHECK(learning_rate(run, 10, 0.25) == Approx(0.4));
  CHECK(learning_rate(run, 20, 0.625) == Approx(0.2));  // half of the way down
  CHECK(learning_rate(run, 40, 1) == 0);
  CHECK(learning_rate(run, 41, 1.1) == 0);
}

TEST_CASE("an invalid schedule is refused") {
  CHECK_NOTHROW(check(Noam{}));
  CHECK_NOTHROW(check(CosineDecay{warmup, 11, 0}));
  CHECK_THROWS_AS(check(Noam{.warmup_steps = 0}), Error);
  CHECK_THROWS_AS(check(Noam{.d_model = 0}), Error);
  CHECK_THROWS_AS(check(WholeRun{.warmup_steps = 0}), Error);
  CHECK_THROWS_AS(check(Noam{.factor = std::nan("")}), Error);
  CHECK_THROWS_AS(check(InverseSqrt{{.peak = -1}}), Error);
  CHECK_THROWS_AS(check(Constant{{.peak = std::numeric_limits<double>::infinity()}}), Error);
  CHECK_THROWS_AS(check(Constant{{.warmup_steps = -1}}), Error);
  CHECK_THROWS_AS(check(CosineDecay{warmup, 10, 0}), Error);
  CHECK_THROWS_AS(check(LinearDecay{warmup, 30, -1}), Error);
  CHECK_THROWS_AS(learning_rate(Noam{}, 0), Misuse);
}
