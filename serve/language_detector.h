#pragma once
// Tells languages apart by the trigrams of their characters: the probability of a text is the
// product of those of its trigrams in a language, and all languages are equally likely before.

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
  // Adds well-formed text of a language.
  void learn(const std::string& language, std::string_view text);
  bool knows(const std::string& language) const { return counts_.contains(language); }
  bool useful() const { return counts_.size() >= 2; }

  struct Guess {
    std::string language;
    double confidence = 0;  // percent
  };
  // The languages from the most probable one; all that are known, or those `among` them. The text
  // must be well-formed.
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
