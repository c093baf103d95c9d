#pragma once
// Warnings about lines of input, on stderr.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/line_streams.h"
#include "cli/output.h"
#include "cli/progress.h"

namespace calque {

// Prints the first warning at once, and the number of the others at the end.
class LineWarnings {
 public:
  LineWarnings(const LineInput& input, const Progress& progress)
      : name_(input.name()), progress_(progress) {}

  void add(const std::vector<std::pair<int64_t, std::string>>& warnings) {
    for (const auto& [number, text] : warnings) {
      if (count_++ > 0) continue;
      progress_.end();
      note("calque: {}:{}: {}\n", name_, number + 1, text);
    }
  }
  void end() const {
    if (count_ > 1) note("calque: {}: {} lines are that long\n", name_, count_);
  }

 private:
  std::string name_;
  const Progress& progress_;
  int64_t count_ = 0;
};

}  // namespace calque
