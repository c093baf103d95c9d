#pragma once
// Explanations like those of trained models, computed without a model, for tests of pages.

#include "decode/inspection/inspection.h"

namespace calque::tests {

Explanation made_up_explanation();

// The explanation of a language model, without encoder and beam: a prompt of four tokens and its
// continuation.
Explanation made_up_text_explanation();

// The inspection of made_up_text_explanation() or of hostile_explanation(): every score, patching
// from another prompt, and an edited output.
Inspection made_up_inspection(const Explanation& explanation);

// An explanation whose texts try to break out of a page.
Explanation hostile_explanation();

}  // namespace calque::tests
