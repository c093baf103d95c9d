#pragma once
// Facts that a translation keeps: numbers and URLs.

#include <string_view>

namespace calque {

// Whether most of the numbers of one side are missing on the other. Numbers up to 12 are not
// compared, since languages spell them out or count hours by them, nor is a pair in which only one
// side has digits. Separators do not count: 1,200.5 equals 1 200,5. Requires well-formed UTF-8.
bool numbers_differ(std::string_view source, std::string_view target);

// Whether one side has a URL that the other lacks. Requires well-formed UTF-8.
bool urls_differ(std::string_view source, std::string_view target);

}  // namespace calque
