#pragma once
// Reads the texts to be scored.

#include <string>
#include <vector>

namespace calque {

// The lines of a text file (plain or gzip; "-" is the standard input) without trailing white space.
// A line ends at LF only. Throws an Error that names the file and line of text that is not UTF-8.
std::vector<std::string> read_segments(const std::string& path);

}  // namespace calque
