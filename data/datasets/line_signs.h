#pragma once
// Signs of a bad pair that the pair itself or its neighbours show, and where they were seen.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "data/corpora/corpus.h"

namespace calque {

// Whether a text has an HTML tag or a character reference, such as <br> or &amp;.
bool has_markup(std::string_view text);

// Whether a text has UTF-8 that was read as Latin-1 or Windows-1252, such as "Ã¤", or U+FFFD.
bool has_mojibake(std::string_view text);

// How often something was seen, and the first places.
struct Sightings {
  int64_t count = 0;
  std::vector<std::string> first = {};

  void add(const Corpus& corpus, int64_t index, int column);
  std::string places() const;  // " (first: train.en:3, train.en:8)", or nothing
};

// The scripts of the lines of one side.
class ScriptCount {
 public:
  void add(std::string_view text, const Corpus& corpus, int64_t index, int column);
  // The most frequent script, and the lines of rare other ones: less than a twentieth of the lines.
  std::string_view usual() const;
  Sightings others() const;

 private:
  std::map<std::string_view, Sightings> lines_;
};

}  // namespace calque
