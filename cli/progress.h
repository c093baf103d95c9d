#pragma once
// A line at a terminal that says how far a long command has come; nothing anywhere else.

#include <chrono>
#include <cstdint>
#include <string_view>

namespace calque {

class Progress {
 public:
  // Not `wanted`: silent at a terminal too.
  explicit Progress(bool wanted = true);

  // `what` is what is counted, such as "lines". Without tokens only those are told.
  void show(std::string_view what, int64_t count, int64_t tokens = 0) const;
  // Ends the line, so that what follows stands on one of its own.
  void end() const;

 private:
  bool shown_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace calque
