#pragma once
// Reading what is to be scored.

#include <string>
#include <vector>

namespace calque {

// The lines of a text file (plain or gzip; "-" is the standard input) without the white space at
// their ends. A line ends at LF and nowhere else. Text that is not UTF-8 is an Error with its
// place.
std::vector<std::string> read_segments(const std::string& path);

}  // namespace calque
