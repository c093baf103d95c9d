#pragma once
// An explanation of one translation as a page to learn from, and as raw numbers. Every function
// requires the parts of the explanation to fit together (Misuse otherwise).

#include <string>

#include "decode/explanation.h"

namespace calque {

// One self-contained page: the tokens, the translation step by step, attention, positions, beam.
std::string explain_page(const Explanation& explanation);

// Everything as JSON: tokens with ids, the best alternatives of each step with their logits, every
// head's weights, positions, beam.
std::string explanation_json(const Explanation& explanation);

}  // namespace calque
