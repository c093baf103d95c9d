#pragma once
// Puts the tags of a text into its translation, which was made without them. A pair of tags goes
// around the words that are aligned with the words it was around, a tag at a place goes next to the
// word that it stood next to, and borders divide the translation in proportion to the length of the
// source. Every tag occurs once, and pairs stay nested.

#include <cstdint>
#include <span>
#include <string>

#include "data/markup/marked_text.h"

namespace calque {

// Words by their index in text_words(). A link that occurs often counts more.
struct WordLink {
  int32_t source = 0, target = 0;
};

// Words that occur once in both texts, as names do, and punctuation are aligned without links.
MarkedText with_placed_tags(const MarkedText& source, std::string translation,
                            std::span<const WordLink> links);

// Links for a translation of which nothing is known: each word with that at the same part of the
// source.
std::vector<WordLink> even_links(size_t source_words, size_t target_words);

}  // namespace calque
