#pragma once
// What to say about a command line that makes no sense.

#include <CLI/CLI.hpp>
#include <string>

namespace calque {

// One line: what is wrong, the option or command that was meant, and where help is.
std::string explain(const CLI::App& calque, const CLI::ParseError& error);

// `text` on one line, with control characters written out: a file's name can hold anything.
std::string one_line(std::string_view text);

}  // namespace calque
