#pragma once
// The larger of two errors. NaN is the largest of all: std::max(error, NaN) is the error, and a
// test that asks for the largest would pass.

#include <cmath>

namespace calque {

inline double worse(double a, double b) { return std::isnan(a) || a > b ? a : b; }

}  // namespace calque
