#pragma once
// What the readers of HTML, Markdown and subtitles find in a file.

#include <string>
#include <vector>

#include "data/markup/marked_text.h"

namespace calque {

// How a text is written: which characters are escaped, and whether it is divided into lines.
enum class TextForm { html, attribute, markdown, table_cell, srt, vtt };

struct MarkupText {
  MarkedText text;
  TextRange range;  // in the file; that of an attribute lies within the range of another text
  TextForm form;
  size_t width = 0;  // the characters of the longest line, if the translation has lines again
  // What precedes the second line of a paragraph and those behind it, such as "> ".
  std::string line_begin = {};
};

struct Markup {
  std::vector<MarkupText> texts;          // those that have words
  std::vector<TextRange> kept;            // the kept parts, by number
  std::vector<TextRange> languages = {};  // the values of lang of the whole file
};

}  // namespace calque
