#pragma once
// Where the result of a command goes when it was asked for as a file.

#include <string>
#include <string_view>

namespace calque {

// Writes `text` to the file that --out or the like named, and says so on stderr. "-" is the
// standard output. A regular file is replaced whole or not at all, also where the name is a link to
// it; anything else that is already there (a pipe, a terminal, /dev/stdout) is written to as it is.
void write_result(const std::string& file, std::string_view text);

}  // namespace calque
