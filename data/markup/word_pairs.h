#pragma once
// The words of a text and of its translation, divided where tags stand within a word, and which
// word of the source each word of the translation belongs to.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "data/markup/tag_placement.h"
#include "data/text/text_range.h"

namespace calque {

struct WordPairs {
  std::vector<TextRange> source, target;
  std::vector<int32_t> source_of;  // of each target word; -1: none

  WordPairs(const MarkedText& from, std::string_view to, std::span<const WordLink> links);
};

}  // namespace calque
