#pragma once
// calque translate with the translator of trained().

#include <string>

#include "cli/program.h"
#include "cli/trained.h"

namespace calque {

// What it writes for an input, in which printf replaces \\n.
inline CommandResult translate(const std::string& input, const std::string& options) {
  return run("printf '" + input + "' | calque translate " + trained().run + " " + options);
}

}  // namespace calque
