#pragma once
// A file of text with markup, by the end of its name:
//   .html .htm .xhtml  HTML
//   .md .markdown      Markdown
//   .srt .vtt          subtitles
// What is no text stays byte for byte.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/markup/markup.h"

namespace calque {

enum class MarkupKind { html, xhtml, markdown, srt, vtt };

// By the end of a file's name without .gz, in any case.
std::optional<MarkupKind> markup_kind(std::string_view path);

class MarkupFile {
 public:
  // Throws an Error for bytes that are not well-formed UTF-8, and for subtitles without times;
  // `name` is the file's.
  MarkupFile(std::string bytes, MarkupKind kind, const std::string& name);
  // Reads a file, plain or gzip. Also throws an Error for another kind of file.
  static MarkupFile read(const std::string& path);

  const std::vector<MarkupText>& texts() const { return markup_.texts; }
  int64_t line_of(const MarkupText& text) const;  // where it begins, from 1

  // The file with translations of its texts. An equal translation leaves the bytes of a text as
  // they are.
  std::string with(std::span<const MarkedText> translations) const;

  // Writes another language into the lang of the whole file where it has the first one.
  void change_language(std::string_view from, std::string_view to);

 private:
  std::string bytes_, line_end_;
  Markup markup_;
  std::string language_;  // what is written in place of markup_.languages; empty: no change
};

}  // namespace calque
