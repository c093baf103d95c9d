#pragma once
// Writes the model of a run in a format of another engine.

#include <string>

#include "interop/formats.h"

namespace calque {

// Writes the new folder `out`; `run` is a run or one of its checkpoints. Returns a remark, or an
// empty text. Throws an Error for a model or a type of numbers that the format cannot hold.
std::string export_run(const std::string& run, const Format& format, const std::string& out,
                       std::string_view type = "");

}  // namespace calque
