#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>

#include "cli/output.h"

namespace calque {

Progress::Progress(bool wanted) : shown_(wanted && isatty(STDERR_FILENO)) {}

void Progress::show(std::string_view what, int64_t count, int64_t tokens) const {
  if (!shown_) return;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
  const double seconds = std::max(passed.count(), 1e-3);
  note("\r{} {}, {:.0f} {}/s", count, what, static_cast<double>(count) / seconds, what);
  if (tokens > 0) note(", {:.0f} tokens/s", static_cast<double>(tokens) / seconds);
}

void Progress::end() const {
  if (shown_) note("\n");
}

}  // namespace calque
