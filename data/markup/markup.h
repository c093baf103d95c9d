#pragma once
// What the readers of HTML, Markdown and subtitles find in a file.

#include <string>
#include <vector>

#include "data/markup/marked_text.h"

namespace calque {

// How a text is written: which characters are escaped, and whether it is divided into lines. The
// last three are values of YAML, of which a plain one may need quotes.
enum class TextForm {
  html,
  attribute,
  markdown,
  table_cell,
  srt,
  vtt,
  plain_value,
  single_quoted,
  double_quoted
};

struct MarkupText {
  MarkedText text;
  TextRange range;  // in the file; that of an attribute lies within the range of another text
  TextForm form;
  size_t width = 0;  // the characters of the longest line, if the translation has lines again
  // What precedes the second line of a paragraph and those behind it, such as "> ".
  std::string line_begin = {};
  // Written around a translation that does not replace the text itself, such as <target>; then
  // `range` is its place, while tags and kept parts are elsewhere.
  std::string before = {}, after = {};
};

// What is written in place of a range whatever the texts are.
struct MarkupEdit {
  // Whether the code of the target language is written between `before` and `after`: the edit then
  // takes place only where it is known.
  enum class Language { without, with };

  TextRange range;
  std::string before;
  Language language = Language::without;
  std::string after = {};
};

struct Markup {
  std::vector<MarkupText> texts;       // those that have words
  std::vector<TextRange> kept;         // the kept parts, by number
  std::vector<MarkupEdit> edits = {};  // ascending
  // Codes of the languages that the file names. Of a file in one language only `source`.
  std::vector<TextRange> source_languages = {}, target_languages = {};
};

}  // namespace calque
