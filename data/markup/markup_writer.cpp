#include "data/markup/markup_writer.h"

#include <algorithm>

#include "data/markup/front_matter.h"
#include "data/markup/html_references.h"
#include "data/markup/markdown_escapes.h"
#include "data/markup/wrapped_lines.h"

namespace calque {
namespace {

bool is_subtitle(TextForm form) { return form == TextForm::srt || form == TextForm::vtt; }
bool is_markdown(TextForm form) {
  return form == TextForm::markdown || form == TextForm::table_cell;
}

// Where the words at the start of a text end: at a line end, a kept part or the end.
size_t end_of_words(std::string_view text) {
  constexpr std::string_view first_bytes = "\n\v\xEF";
  static_assert(first_bytes[1] == wrap_mark && first_bytes[2] == kept_begin[0]);
  size_t at = text.find_first_of(first_bytes);
  while (at != text.npos && text[at] == kept_begin[0] && !text.substr(at).starts_with(kept_begin)) {
    at = text.find_first_of(first_bytes, at + 1);
  }
  return std::min(at, text.size());
}

class MarkupWriter {
 public:
  MarkupWriter(std::string_view file, std::string_view line_end, const Markup& markup,
               std::span<const MarkedText> translations, std::string_view language)
      : file_(file),
        line_end_(line_end),
        markup_(markup),
        translations_(translations),
        language_(language),
        names_spaces_(file.find(no_break_space) != file.npos) {}

  std::string write() {
    copy({0, file_.size()}, 0);
    return std::move(out_);
  }

 private:
  // Copies a part of the file with the translations of the texts in it, from a text on.
  void copy(TextRange range, size_t first) {
    const auto& texts = markup_.texts;
    const auto begin = texts.begin() + static_cast<int64_t>(first);
    auto text =
        std::lower_bound(begin, texts.end(), range.begin,
                         [](const MarkupText& each, size_t at) { return each.range.begin < at; });
    size_t at = range.begin;
    for (; text != texts.end() && text->range.begin < range.end; ++text) {
      if (text->range.begin < at || text->range.end > range.end) continue;
      copy_bytes({at, text->range.begin});
      write_text(static_cast<size_t>(text - texts.begin()));
      at = text->range.end;
    }
    copy_bytes({at, range.end});
  }

  void copy_bytes(TextRange range) {
    const auto& all = markup_.edits;
    size_t at = range.begin;
    auto each = std::ranges::lower_bound(all, at, {},
                                         [](const MarkupEdit& edit) { return edit.range.begin; });
    for (; each != all.end() && each->range.end <= range.end; ++each) {
      const bool with_language = each->language == MarkupEdit::Language::with;
      if (with_language && language_.empty()) continue;
      out_.append(file_, at, each->range.begin - at).append(each->before);
      if (with_language) out_.append(language_);
      out_.append(each->after);
      at = each->range.end;
    }
    out_.append(file_, at, range.end - at);
  }

  void write_text(size_t index) {
    const MarkupText& source = markup_.texts[index];
    MarkedText translation = translations_[index];
    if (translation == source.text && source.before.empty()) {
      return copy(source.range, index + 1);
    }
    out_ += source.before;
    if (is_subtitle(source.form)) wrap_subtitles(translation, source.width);
    if (source.form == TextForm::markdown && source.width > 0) {
      wrap_paragraph(translation, source, markup_);
    }
    const std::string_view text = translation.text;
    size_t at = 0;
    for (const InlineTag& tag : translation.tags) {
      write_words(source, text.substr(at, tag.at - at), at == 0);
      at = tag.at;
      if (tag.role == TagRole::border) {
        while (out_.ends_with(' ')) out_.pop_back();
        while (at < text.size() && text[at] == ' ') ++at;
      }
      write_tag(source.form, tag, index);
    }
    if (at < text.size()) write_words(source, text.substr(at), at == 0);
    out_ += source.after;
  }

  void write_tag(TextForm form, const InlineTag& tag, size_t text) {
    const size_t begin = out_.size();
    if (tag.instead.empty()) {
      copy(tag.range, text + 1);
    } else {
      out_ += tag.instead;
    }
    const std::string_view before = std::string_view(out_).substr(0, begin);
    const bool link = is_markdown(form) && std::string_view(out_).substr(begin).starts_with('[');
    if (link && before.ends_with('!')) out_.insert(begin - 1, "\\");  // no image
  }

  // A part of a text without tags: its words, kept parts and line ends.
  void write_words(const MarkupText& source, std::string_view text, bool begins_line) {
    while (!text.empty()) {
      const size_t end = end_of_words(text);
      if (end > 0) {
        write_escaped(source.form, text.substr(0, end), begins_line);
        begins_line = false;
      } else if (text[0] == '\n' || text[0] == wrap_mark) {
        begins_line = text[0] == '\n';
        end_line(source, begins_line);
      } else {
        text.remove_prefix(write_kept(text));
        begins_line = false;
        continue;
      }
      text.remove_prefix(std::max<size_t>(end, 1));
    }
  }

  void write_escaped(TextForm form, std::string_view text, bool begins_line) {
    switch (form) {
      case TextForm::html:
      case TextForm::vtt:
        out_ += with_references(text, {.no_break_space = names_spaces_});
        break;
      case TextForm::attribute:
        out_ += with_references(text, {.quotes = true, .no_break_space = names_spaces_});
        break;
      case TextForm::markdown:
      case TextForm::table_cell:
        out_ += markdown_escaped(text, begins_line, form == TextForm::table_cell);
        break;
      case TextForm::srt:
        out_ += text;
        break;
      case TextForm::plain_value:
      case TextForm::single_quoted:
      case TextForm::double_quoted:
        out_ += front_matter_value(text, form);
        break;
    }
  }

  // A line of Markdown that shall break the text ends with two spaces.
  void end_line(const MarkupText& source, bool breaks) {
    if (source.form == TextForm::html || source.form == TextForm::attribute) {
      out_ += ' ';
    } else {
      if (breaks && source.form == TextForm::markdown) out_ += "  ";
      out_.append(line_end_).append(source.line_begin);
    }
  }

  // Returns the length of the placeholder.
  size_t write_kept(std::string_view text) {
    const auto number = number_of_kept(text);
    if (!number || *number >= markup_.kept.size()) {
      return kept_begin.size();  // a model may write such a character by itself
    }
    out_ += markup_.kept[*number].of(file_);
    return text.find(kept_end) + kept_end.size();
  }

  std::string_view file_, line_end_;
  const Markup& markup_;
  std::span<const MarkedText> translations_;
  std::string_view language_;
  bool names_spaces_;  // whether the file has &nbsp;
  std::string out_;
};

}  // namespace

std::string written_markup(std::string_view file, std::string_view line_end, const Markup& markup,
                           std::span<const MarkedText> translations, std::string_view language) {
  return MarkupWriter(file, line_end, markup, translations, language).write();
}

}  // namespace calque
