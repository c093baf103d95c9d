#pragma once
// The larger of two errors, where NaN is the largest. std::max(error, NaN) is `error`, so that a
// test of the largest error would pass.

#include <cmath>

namespace calque {

inline double worse(double a, double b) { return std::isnan(a) || a > b ? a : b; }

}  // namespace calque
