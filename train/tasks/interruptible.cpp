#include "train/tasks/interruptible.h"

namespace calque {

std::optional<Scores> interruptible(
    const std::function<bool()>& stop,
    const std::function<Scores(const std::function<void()>& between)>& validate) {
  struct Stopped {};
  try {
    return validate([&] {
      if (stop()) throw Stopped();
    });
  } catch (const Stopped&) {
    return std::nullopt;
  }
}

}  // namespace calque
