#pragma once
// An explanation of one translation as a page and as raw numbers. Both functions throw a Misuse if
// the parts of the explanation do not fit together.

#include <string>

#include "decode/explanation.h"

namespace calque {

// One self-contained page: the tokens, the translation step by step, attention, positions, beam.
std::string explain_page(const Explanation& explanation);

// Everything as JSON: tokens with ids, the best alternatives of each step with their logits, every
// head's weights, positions, beam.
std::string explanation_json(const Explanation& explanation);

}  // namespace calque
