#pragma once
// Reads the texts to be scored.

#include <string>
#include <vector>

namespace calque {

// The lines of a text file (plain, gzip or zstd), or of the standard input (plain) if the path is
// "-", without trailing white space. A line ends at LF only. Throws an Error that names the file
// and the line if a line is not UTF-8 or is too long.
std::vector<std::string> read_segments(const std::string& path);

}  // namespace calque
