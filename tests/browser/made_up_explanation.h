#pragma once
// An explanation as a trained model might give it, without one: for pages to be tested and looked
// at.

#include "decode/explanation.h"

namespace calque::tests {

Explanation made_up_explanation();

// Of a language model: a prompt of four tokens and how it goes on; no encoder, no beam.
Explanation made_up_text_explanation();

// The first with texts that try to break out of a page.
Explanation hostile_explanation();

}  // namespace calque::tests
