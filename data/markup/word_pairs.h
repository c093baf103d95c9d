#pragma once
// The words of a text and of its translation, divided where tags stand within a word, and which
// word of the source each word of the translation belongs to.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "data/markup/tag_placement.h"
#include "data/text/text_range.h"

namespace calque {

struct WordRange {  // by index
  size_t begin, end;
};

struct WordPairs {
  std::vector<TextRange> source, target;
  std::vector<int32_t> source_of;    // of each target word; -1: none
  std::vector<bool> target_is_mark;  // whether each target word is punctuation

  WordPairs(const MarkedText& from, std::string_view to, std::span<const WordLink> links);

  // The number of words of the source that are no punctuation.
  size_t spoken(WordRange part) const { return spoken_[part.end] - spoken_[part.begin]; }
  // Whether a part of the source has all words but punctuation.
  bool is_whole(WordRange part, WordRange all) const;
  // All of the target, without the punctuation at an end where a part of the source lacks it.
  WordRange spoken_part(WordRange to, WordRange part, WordRange all) const;
  // The first or last word of the target that belongs to the source word and lies in `to`.
  std::optional<size_t> target_in(WordRange to, size_t source_word, bool last) const;

  // Where a word of the target begins; behind the last one, where that ends.
  size_t begin_of(size_t word) const;
  // Where the word in front of a word of the target ends.
  size_t end_before(size_t word) const { return word > 0 ? target[word - 1].end : 0; }

 private:
  void divide(const MarkedText& from, const std::vector<TextRange>& whole, std::string_view to,
              const std::vector<TextRange>& words, const std::vector<int32_t>& whole_of);

  std::vector<std::vector<size_t>> targets_of_;  // source words
  std::vector<size_t> spoken_ = {0};             // of the first source words
};

}  // namespace calque
