#pragma once
// A file of text with markup, by the end of its name:
//   .html .htm .xhtml  HTML
//   .md .markdown      Markdown
//   .srt .vtt          subtitles
//   .xlf .xliff        XLIFF, of which the texts without a translation are texts
// What is no text stays byte for byte.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/markup/markup.h"

namespace calque {

enum class MarkupKind { html, xhtml, markdown, srt, vtt, xliff };

// By the end of a file's name without .gz or .zst, in any case.
std::optional<MarkupKind> markup_kind(std::string_view path);

class MarkupFile {
 public:
  // Throws an Error for bytes that are not well-formed UTF-8, for subtitles without times and for
  // XLIFF that is not well-formed; `name` is the file's.
  MarkupFile(std::string bytes, MarkupKind kind, const std::string& name);
  // Reads a file, plain, gzip or zstd. Also throws an Error for another kind of file.
  static MarkupFile read(const std::string& path);

  const std::vector<MarkupText>& texts() const { return markup_.texts; }
  // The line where it begins, from 1.
  int64_t line_of(const MarkupText& text) const { return line_at(text.range.begin); }

  // The file with translations of its texts. An equal translation leaves the bytes of a text as
  // they are.
  std::string with(std::span<const MarkedText> translations) const;

  // Writes another language into the lang of the whole file where it has the first one. Throws an
  // Error for XLIFF in other languages; `name` is the file's.
  void change_language(std::string_view from, std::string_view to, const std::string& name);

 private:
  int64_t line_at(size_t at) const;

  std::string bytes_, line_end_;
  Markup markup_;
  std::string language_;  // of the translations; empty: not known
};

}  // namespace calque
