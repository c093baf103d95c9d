#pragma once
// The inspection of a language model as JSON, for `calque explain --json` and for the page.

#include <string>

#include "decode/inspection/inspection.h"

namespace calque {

// An object with the keys lens, heads, attribution, patching and edited; the last two may be null.
// Numbers have at most `digits` digits. Throws a Misuse if a part does not fit the explanation.
std::string inspection_json(const Explanation& explanation, const Inspection& inspection,
                            int digits);

}  // namespace calque
