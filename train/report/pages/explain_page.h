#pragma once
// An explanation of a translation or of a continued prompt, as a page and as raw numbers, with the
// inspection of a language model if there is one. Both functions throw a Misuse if the parts of the
// explanation do not fit together.

#include <string>

#include "decode/explanation.h"
#include "decode/inspection/inspection.h"

namespace calque {

// A self-contained page: the tokens, the steps, attention, positions, neighbours and the beam.
std::string explain_page(const Explanation& explanation, const Inspection* inspection = nullptr);

// The same as JSON: tokens with ids, the best 50 alternatives of each step and the chosen one with
// their logits, every head's weights, all positions, neighbours, the beam and the inspection.
std::string explanation_json(const Explanation& explanation,
                             const Inspection* inspection = nullptr);

}  // namespace calque
