#pragma once
// Terms of sentence pairs without a glossary, for training: words that translate each other by IBM
// model 1 in both directions. The most frequent words, such as articles, are none.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/random.h"
#include "data/parallel/word_translations.h"
#include "data/terms/term_marks.h"

namespace calque {

class LearnedTerms {
 public:
  using Pairs = std::vector<std::pair<std::string, std::string>>;  // UTF-8

  explicit LearnedTerms(const Pairs& pairs);

  // One to three terms of a pair, drawn at random; fewer if it has fewer. The translation of a word
  // is the form of the target's word that most often translates it, so that a model learns to
  // inflect; that of words in a row is sometimes one term, as it stands in the target.
  std::vector<TermMark> draw(std::string_view source, std::string_view target,
                             Random& random) const;

 private:
  // Words by their numbers.
  struct Side {
    explicit Side(bool lower) : lower(lower) {}
    std::vector<int32_t> add(std::string_view text);
    std::vector<int32_t> ids(std::string_view text) const;  // -1: unknown
    bool is_frequent(int32_t id) const { return counts[id] * 100 > all; }

    bool lower;
    std::unordered_map<std::string, int32_t> numbers;
    std::vector<std::string> words = {};
    std::vector<int64_t> counts = {};
    int64_t all = 0;
  };
  struct Link {
    size_t source, target;  // the places of the words
    int32_t from, to;
  };

  std::vector<Link> links(const std::vector<int32_t>& from, const std::vector<int32_t>& to) const;
  const std::string& dictionary_form(int32_t from, int32_t to) const;

  Side source_{true}, target_{false};
  std::vector<WordTranslations> tables_;  // from the source, to the source
  std::unordered_map<std::string, std::vector<int32_t>>
      families_;  // target words by their beginning
};

}  // namespace calque
