#pragma once
// Exports a model that a test made.

#include <string>
#include <string_view>

#include "interop/formats.h"

namespace calque {

template <class Model>
void export_to(std::string_view format, const RunParts& parts, const Model& model,
               const std::string& out, std::string_view type = "") {
  export_model(format_named(format), Exported<Model>{parts, model}, out, type);
}

}  // namespace calque
