#pragma once
// Axes of static figures: scales, ticks at round values, and their labels.

#include <string>
#include <vector>

#include "train/report/figures/panels.h"

namespace calque {

// Maps [low, high] to [from, to], linearly or by the logarithm (which requires low > 0).
struct Scale {
  double low = 0, high = 1;
  double from = 0, to = 1;
  bool logarithmic = false;

  double at(double value) const;
};

struct Ticks {
  std::vector<double> values;
  double step = 0;  // 0: not evenly spaced
};

// About `count` round values within [low, high]; only `low` if `high` is not above it.
Ticks ticks(double low, double high, int count, bool logarithmic);

// The same for a linear x axis. Steps have ticks at whole numbers. Time has ticks at multiples of a
// round number of seconds, minutes, hours or days, unless they are less than a second apart.
Ticks clock_ticks(CurveAxis axis, double low, double high, int count);

std::string value_label(double value, double step, ValueFormat format);
std::string clock_label(CurveAxis axis, double value);

// 12345 -> 12.3k, 4.1e6 -> 4.1M: `digits` significant digits, no trailing zeros.
std::string short_number(double value, int digits);

}  // namespace calque
