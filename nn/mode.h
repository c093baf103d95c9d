#pragma once
// Training drops numbers out at random, evaluating does not. Which of the two a forward pass is for
// is an argument of that pass, never a state of the model.

#include "core/real.h"

namespace calque {

enum class Mode { evaluate, train };

// The probability with which a pass of this mode drops.
inline real dropout_in(Mode mode, real probability) {
  return mode == Mode::train ? probability : real(0);
}

}  // namespace calque
