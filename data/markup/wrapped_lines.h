#pragma once
// Line ends within a translation: subtitles have short lines, and a Markdown paragraph keeps its
// width.

#include <cstddef>
#include <string>

#include "data/markup/markup.h"

namespace calque {

// Where a line ends; no text has this character otherwise.
inline constexpr char wrap_mark = '\v';

// Divides what is longer than a line into lines of about equal length: each subtitle, and each
// speech of one. Spaces become marks. A line has at most `width` characters, or 42 if that is less,
// and more only if words are longer.
void wrap_subtitles(MarkedText& translation, size_t width);

// Ends a line of a Markdown paragraph before the word that would make it longer than those of the
// source. No line begins like an item of a list, a heading or a quotation.
void wrap_paragraph(MarkedText& translation, const MarkupText& source, const Markup& markup);

}  // namespace calque
