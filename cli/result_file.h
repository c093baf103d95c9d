#pragma once
// Writes the result of a command to a file.

#include <string>
#include <string_view>

namespace calque {

// Writes `text` to standard output if `file` is "-". Otherwise writes it to the file, as gzip if
// its name ends in .gz, and prints the file's name to stderr. A regular file is replaced
// atomically, also through a symlink; anything else that exists (a pipe, a terminal, /dev/stdout)
// is opened and written to.
void write_result(const std::string& file, std::string_view text);

}  // namespace calque
