#include "data/markup/markup_file.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "data/files/packed_files.h"
#include "data/formats/languages.h"
#include "data/formats/whole_file.h"
#include "data/markup/html.h"
#include "data/markup/markdown.h"
#include "data/markup/markup_writer.h"
#include "data/markup/subtitles.h"
#include "data/markup/xliff.h"
#include "data/text/lowercase.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

Markup markup_of(std::string_view bytes, MarkupKind kind, const std::string& name) {
  switch (kind) {
    case MarkupKind::html:
      return read_html(bytes, bytes.starts_with("<?xml"));
    case MarkupKind::xhtml:
      return read_html(bytes, true);
    case MarkupKind::markdown:
      return read_markdown(bytes);
    case MarkupKind::srt:
      return read_subtitles(bytes, TextForm::srt, name);
    case MarkupKind::vtt:
      return read_subtitles(bytes, TextForm::vtt, name);
    case MarkupKind::xliff:
      return read_xliff_texts(bytes, name);
  }
  fail("{}: no kind of markup", name);
}

void move_by(TextRange& range, size_t count) { range.begin += count, range.end += count; }

// A byte-order mark is no part of what the readers see.
void move_by(Markup& markup, size_t count) {
  for (MarkupText& each : markup.texts) {
    move_by(each.range, count);
    for (InlineTag& tag : each.text.tags) move_by(tag.range, count);
  }
  for (TextRange& each : markup.kept) move_by(each, count);
  for (MarkupEdit& each : markup.edits) move_by(each.range, count);
  for (TextRange& each : markup.source_languages) move_by(each, count);
  for (TextRange& each : markup.target_languages) move_by(each, count);
}

}  // namespace

std::optional<MarkupKind> markup_kind(std::string_view path) {
  static constexpr std::pair<std::string_view, MarkupKind> ends[] = {
      {".xhtml", MarkupKind::xhtml},       {".html", MarkupKind::html},
      {".htm", MarkupKind::html},          {".md", MarkupKind::markdown},
      {".markdown", MarkupKind::markdown}, {".srt", MarkupKind::srt},
      {".vtt", MarkupKind::vtt},           {".xlf", MarkupKind::xliff},
      {".xliff", MarkupKind::xliff}};
  const std::string lowercase = ascii_lowercase(path);
  const std::string_view name = plain_name(lowercase);
  for (const auto& [end, kind] : ends) {
    if (name.ends_with(end)) return kind;
  }
  return std::nullopt;
}

MarkupFile::MarkupFile(std::string bytes, MarkupKind kind, const std::string& name)
    : bytes_(std::move(bytes)) {
  if (const auto invalid = find_invalid_utf8(bytes_)) {
    const size_t feed = *invalid == 0 ? bytes_.npos : bytes_.rfind('\n', *invalid - 1);
    const size_t begin = feed == bytes_.npos ? 0 : feed + 1;
    const size_t end = std::min(bytes_.size(), *invalid + 4);
    fail("{}:{}: {}; convert it to UTF-8, for example with iconv", name,
         1 + std::count(bytes_.begin(), bytes_.begin() + begin, '\n'),
         utf8_problem(std::string_view(bytes_).substr(begin, end - begin)));
  }
  const size_t skipped = bytes_.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  markup_ = markup_of(std::string_view(bytes_).substr(skipped), kind, name);
  move_by(markup_, skipped);
  std::ranges::sort(markup_.texts, {}, [](const MarkupText& text) {
    return std::pair(text.range.begin, ~text.range.end);  // a text before those in its tags
  });
  line_end_ = bytes_.find("\r\n") != bytes_.npos ? "\r\n" : "\n";
}

MarkupFile MarkupFile::read(const std::string& path) {
  const auto kind = markup_kind(path);
  if (!kind) {
    fail(
        "{}: not a document; its name must end with .html, .htm, .xhtml, .md, .markdown, .srt, "
        ".vtt, .xlf or .xliff; plain text is translated with --text",
        path);
  }
  return {whole_file(path), *kind, path};
}

int64_t MarkupFile::line_at(size_t at) const {
  return 1 + std::count(bytes_.begin(), bytes_.begin() + static_cast<int64_t>(at), '\n');
}

void MarkupFile::change_language(std::string_view from, std::string_view to,
                                 const std::string& name) {
  const auto check = [&](const std::vector<TextRange>& codes, std::string_view language) {
    for (const TextRange& code : codes) {
      if (language.empty() || same_language(code.of(bytes_), language)) continue;
      fail("{}:{}: is in the language {}; the model translates from {} to {}", name,
           line_at(code.begin), code.of(bytes_), from, to);
    }
  };
  check(markup_.source_languages, from);
  check(markup_.target_languages, to);
  std::erase_if(markup_.edits, [&](const MarkupEdit& edit) {  // lang of a file in another language
    return edit.language == MarkupEdit::Language::with && edit.range.begin < edit.range.end &&
           !same_language(edit.range.of(bytes_), from);
  });
  language_ = to;
}

std::string MarkupFile::with(std::span<const MarkedText> translations) const {
  require(translations.size() == texts().size(), "with: {} translations of {} texts",
          translations.size(), texts().size());
  return written_markup(bytes_, line_end_, markup_, translations, language_);
}

}  // namespace calque
