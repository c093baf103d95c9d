#pragma once
// An explanation like that of a trained model, computed without one, for tests of pages.

#include "decode/explanation.h"

namespace calque::tests {

Explanation made_up_explanation();

// That of a language model: a prompt of four tokens and its continuation, without encoder and beam.
Explanation made_up_text_explanation();

// made_up_explanation() with texts that try to break out of a page.
Explanation hostile_explanation();

}  // namespace calque::tests
