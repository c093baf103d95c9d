#pragma once
// Learns from a corpus which words are abbreviations (Kiss & Strunk 2006, "Punkt"): a type that
// nearly always has a period behind it, and is short. For a type of n occurrences, k of them with a
// period,
//   log lambda = 2 (log L(k, n, 0.99) - log L(k, n, p)),  L(k, n, p) = p^k (1-p)^(n-k)
// where p is the share of all tokens with a period. A line of a corpus is mostly one sentence, so
// the period at its end says nothing; only those within lines count.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "data/sentences/language_words.h"

namespace calque {

class SentenceLearning {
 public:
  // Counts the words of a line. Requires well-formed UTF-8.
  void add(std::string_view line);

  // Abbreviations, and the words that have a capital at the start of a line and nowhere else.
  LanguageWords words() const;

 private:
  struct Counts {
    int64_t plain = 0, with_period = 0;  // within lines
    int64_t first = 0, capital_within = 0,
            small = 0;  // of a word: at the start of a line, and within
  };
  Counts* counts_of(const std::string& type);

  std::unordered_map<std::string, Counts> types_;  // in lower case, without the last period
  int64_t tokens_ = 0, periods_ = 0;
};

// A file of the words: a line for each, "abbreviation usw" or "starter der".
std::string to_text(const LanguageWords& words);
// Throws an Error that names the line for another text; `name` is the file's.
LanguageWords parse_sentence_words(std::string_view text, const std::string& name);

}  // namespace calque
