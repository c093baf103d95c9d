#pragma once
// The weights of small runs, in tests that compare them.

#include <doctest/doctest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "support/folders.h"
#include "support/worse.h"
#include "train/tasks/fixture.h"
#include "train/weights/trained_run.h"

namespace calque {

inline std::vector<double> weights(const TemporaryFolder& folder, const std::string& place) {
  const TrainedRun run = open_run(folder.path(place), make_task);
  const std::span<const real> values = run.task->parameters().values();
  return {values.begin(), values.end()};
}

inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = worse(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace calque
