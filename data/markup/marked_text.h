#pragma once
// A text with inline markup, such as a paragraph with emphasis and links. The text itself is plain:
// the tags stand between its characters. What must be part of a sentence but is not translated,
// such as code, is a kept part: a placeholder (PlaceholderKinds::markup) with a number of the file.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/placeholders/placeholders.h"
#include "data/text/text_range.h"

namespace calque {

// opening, closing  around text, as <b> and </b>; without the other one, up to the end of the text
// alone             at a place, as <img>
// border            between two subtitles: the text on each side stays on its side
enum class TagRole { opening, closing, alone, border };

struct InlineTag {
  size_t at = 0;  // before this byte of the text
  TagRole role = TagRole::alone;
  int32_t pair = -1;         // shared by an opening tag and its closing tag
  TextRange range = {};      // in the file
  std::string instead = {};  // what is written; empty: the range

  bool operator==(const InlineTag&) const = default;
};

struct MarkedText {
  std::string text;
  std::vector<InlineTag> tags = {};  // `at` ascends, and pairs are nested

  bool operator==(const MarkedText&) const = default;
};

// The placeholder of a kept part.
std::string kept_part(size_t number);
// The number of the kept part with which a text begins.
std::optional<size_t> number_of_kept(std::string_view text);

// Whether there is a letter outside kept parts.
bool has_words(std::string_view text);

// The sentences of a text with their tags. A tag between two sentences belongs to neither.
std::vector<MarkedText> marked_sentences(const MarkedText& whole,
                                         std::span<const TextRange> ranges);
// The text with sentence i in place of ranges[i].
MarkedText with_marked_sentences(const MarkedText& whole, std::span<const TextRange> ranges,
                                 std::span<const MarkedText> sentences);

}  // namespace calque
