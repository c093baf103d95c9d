#pragma once
// Identifies the language of a text by the text's character trigrams (naive Bayes, uniform prior).
// The probability of the text is the cube root of the product of the probabilities of its trigrams,
// because each character is in three trigrams. Trigrams that no language has are ignored.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace calque {

class LanguageDetector {
 public:
  // Counts the trigrams of a text of a language. The text must be well-formed.
  void learn(const std::string& language, std::string_view text);
  bool knows(const std::string& language) const { return counts_.contains(language); }
  bool useful() const { return counts_.size() >= 2; }

  struct Guess {
    std::string language;
    double confidence = 0;  // percent
  };
  // Returns the languages, most probable first: all that are known, or only those in `among`. The
  // text must be well-formed.
  std::vector<Guess> detect(std::string_view text, const std::set<std::string>& among = {}) const;

 private:
  using Trigram = uint64_t;  // three code points of 21 bits
  struct Counts {
    std::unordered_map<Trigram, int64_t> of;
    int64_t total = 0;
  };
  static std::vector<Trigram> trigrams(std::string_view text);

  std::map<std::string, Counts> counts_;
  std::unordered_map<Trigram, int64_t> all_;
};

}  // namespace calque
