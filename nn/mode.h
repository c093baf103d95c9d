#pragma once
// Training uses dropout, evaluation does not. The mode is an argument of a forward pass, not a
// state of the model.

#include "core/real.h"

namespace calque {

enum class Mode { evaluate, train };

// The dropout probability of a pass in this mode.
inline real dropout_in(Mode mode, real probability) {
  return mode == Mode::train ? probability : real(0);
}

}  // namespace calque
