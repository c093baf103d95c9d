#pragma once
// What many pairs together show: whether the lengths of both sides belong together, the language of
// the words, the script.

#include <cstdint>
#include <deque>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "data/cleaning/sightings.h"

namespace calque {

// Pearson's correlation.
class Correlation {
 public:
  void add(double x, double y);
  double value() const;  // 0 if x or y does not vary
  bool both_vary() const { return n_ * xx_ > x_ * x_ && n_ * yy_ > y_ * y_; }

 private:
  double n_ = 0, x_ = 0, y_ = 0, xx_ = 0, yy_ = 0, xy_ = 0;
};

inline constexpr const char* shifted_pairs =
    "pairs that may be shifted: their lengths do not correlate";

// Finds lines that are shifted against each other: windows in which the lengths do not correlate,
// although they do in most windows.
class ShiftSearch {
 public:
  void begin_corpus();
  // Pairs in the order of the corpus.
  void add(double source_length, double target_length, const Corpus& corpus, int64_t index);
  // Counts pairs.
  Sightings shifted() const;

 private:
  static constexpr int64_t window = 50, step = 10;

  std::deque<std::pair<double, double>> lengths_;  // of the last pairs
  int64_t added_ = 0, next_ = 0;
  std::vector<double> correlations_;  // of all windows
  Sightings suspects_;
};

// The scripts of the lines of one side.
class ScriptCount {
 public:
  void add(std::string_view text);
  std::string_view usual() const;  // the script of most lines
  // Whether the text is in another script, that of less than a twentieth of the lines.
  bool is_strange(std::string_view text) const;

 private:
  std::map<std::string_view, int64_t> lines_;
};

// How often the words of a text occur, in a table of fixed size: enough to tell whether two texts
// are in the same language.
class WordProfile {
 public:
  void add(std::string_view text);

  // The cosine of the square roots of the counts: 1 for the same words equally often, 0 for no word
  // in common. The roots reduce the influence of very frequent words.
  double similarity(const WordProfile& other) const;

 private:
  friend bool reads_like(std::string_view text, const WordProfile& one, const WordProfile& other);

  int64_t& count_of(std::string_view word);
  int64_t count_of(std::string_view word) const;

  std::vector<int64_t> counts_ = std::vector<int64_t>(1 << 16);
};

// Whether the words of the text are clearly those of `one` and not those of `other`.
bool reads_like(std::string_view text, const WordProfile& one, const WordProfile& other);

}  // namespace calque
