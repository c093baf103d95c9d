#pragma once
// The larger of two errors; NaN counts as the largest. std::max(error, NaN) returns `error`, so a
// test of the largest error would not detect the NaN.

#include <cmath>

namespace calque {

inline double worse(double a, double b) { return std::isnan(a) || a > b ? a : b; }

}  // namespace calque
