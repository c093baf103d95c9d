#pragma once
// Two ways in which translations fail as a whole: they repeat a phrase again and again, or they
// copy the source.

#include <string>
#include <string_view>
#include <vector>

namespace calque {

// Whether a phrase of at most four words occurs three times in a row.
bool repeats(std::string_view text);

// Whether at least three quarters of the words of each text occur in the other, and they have at
// least three words.
bool copies(std::string_view text, std::string_view source);

// The shares of outputs that repeat, or copy their source, while the reference does not.
struct Degeneration {
  double repeated = 0, copied = 0;
};
Degeneration degeneration(const std::vector<std::string>& outputs,
                          const std::vector<std::string>& sources,
                          const std::vector<std::string>& references);

}  // namespace calque
