#pragma once
// A validation that the trainer can stop between two batches. Its scores get the load of the
// experts, if the model has any.

#include <functional>
#include <optional>

#include "train/task.h"

namespace calque {

// Returns what `validate` returns, or nothing once `stop` returns true. `validate` calls the
// function that it receives between batches.
std::optional<Scores> interruptible(
    const std::function<bool()>& stop,
    const std::function<Scores(const std::function<void()>& between)>& validate);

}  // namespace calque
