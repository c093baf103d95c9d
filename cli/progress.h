#pragma once
// The progress line of a long command, shown only on a terminal.

#include <chrono>
#include <cstdint>
#include <string_view>

namespace calque {

class Progress {
 public:
  // If `wanted` is false, nothing is shown.
  explicit Progress(bool wanted = true);

  // `what` names the counted items, such as "lines". The rate of tokens is shown if `tokens` > 0.
  void show(std::string_view what, int64_t count, int64_t tokens = 0) const;
  // Ends the line.
  void end() const;

 private:
  bool shown_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace calque
