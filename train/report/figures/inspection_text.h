#pragma once
// The inspection of a language model as tables for the terminal.

#include <string>

#include "decode/inspection/inspection.h"

namespace calque {

// Lines of at most `width` columns, unless a token alone is wider. A table with too many layers
// shows some of them, the last one included.
std::string inspection_text(const Explanation& explanation, const Inspection& inspection,
                            int width);

}  // namespace calque
