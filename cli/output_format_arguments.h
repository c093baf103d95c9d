#pragma once
// Command-line options for what a generated text must be.

#include <CLI/CLI.hpp>

#include "decode/constraints/output_format.h"

namespace calque {

// The options --regex, --json-schema and --json, of which a command line has one at most.
void add_output_format_options(CLI::App& command, OutputFormat& format);
// The same format with the text of the file that --json-schema names.
OutputFormat with_schema_read(OutputFormat format);

}  // namespace calque
