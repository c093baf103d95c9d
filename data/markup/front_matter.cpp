#include "data/markup/front_matter.h"

#include <optional>

#include "data/markup/markdown_lines.h"
#include "data/markup/text_builder.h"
#include "data/text/regex.h"
#include "data/text/trimmed.h"

namespace calque {
namespace {

// Whether YAML reads it as a text without quotes.
bool is_plain(std::string_view value) {
  static const Regex plain(R"(^[^\s\-?:,\[\]{}#&*!|>'"%@`](?:[^:#]|:(?!\s|$)|(?<!\s)#)*+$)");
  static const Regex other(R"((?i)^(?:true|false|yes|no|on|off|null|~|[-+.0-9_e:T]+)$)");
  return plain.find(value) && !other.find(value);
}

std::string with_doubled(std::string_view text, std::string_view marks, char mark) {
  std::string out;
  for (const char c : text) {
    if (marks.find(c) != marks.npos) out += mark;
    out += c;
  }
  return out;
}

struct Value {
  TextRange range;
  TextForm form;
};

// What is translated of "title: value" or "title = value".
std::optional<Value> value_of(std::string_view file, TextRange line, bool toml) {
  static const Regex yaml_key(
      R"((?i)^(?:(?:sub|sidebar_|link|nav_)?title|description|summary|excerpt|sidebar_label|tagline)[ \t]*+:[ \t]++)");
  static const Regex toml_key(
      R"((?i)^(?:(?:sub|link|nav_)?title|description|summary|excerpt|tagline)[ \t]*+=[ \t]*+)");
  static const Regex quoted(R"(^"[^"\\]++"$)"), single(R"(^'(?:[^']|'')++'$)");
  const std::string_view text = line.of(file);
  const auto key = (toml ? toml_key : yaml_key).find(text);
  if (!key) return std::nullopt;
  const std::string_view value = calque::trimmed(text.substr(key->end), " \t");
  const size_t begin = line.begin + key->end;
  const TextRange whole{begin, begin + value.size()}, inner{begin + 1, begin + value.size() - 1};
  if (quoted.find(value)) return Value{inner, TextForm::double_quoted};
  if (!toml && single.find(value)) return Value{inner, TextForm::single_quoted};
  if (!toml && is_plain(value)) return Value{whole, TextForm::plain_value};
  return std::nullopt;
}

void add(std::string_view file, const Value& value, Markup& found) {
  MarkedTextBuilder builder(found.kept);
  const std::string_view text = value.range.of(file);
  for (size_t at = 0; at < text.size();) {
    const size_t two = value.form == TextForm::single_quoted ? text.find("''", at) : text.npos;
    const size_t end = std::min(two, text.size());
    builder.add(text.substr(at, end - at), {value.range.begin + at, value.range.begin + end});
    at = end;
    if (two == text.npos) break;
    builder.add("'", {value.range.begin + at, value.range.begin + at + 2});
    at += 2;
  }
  PlacedText placed = builder.take();
  if (!has_words(placed.text.text)) return;
  found.texts.push_back({std::move(placed.text), placed.range, value.form});
}

}  // namespace

size_t read_front_matter(std::string_view file, Markup& found) {
  const std::vector<TextRange> lines = markdown_lines(file, 0);
  const std::string_view mark = lines.empty() ? "" : calque::trimmed(lines[0].of(file), " \t");
  if (mark != "---" && mark != "+++") return 0;
  for (size_t i = 1; i < lines.size(); ++i) {
    if (calque::trimmed(lines[i].of(file), " \t") != mark) continue;
    for (size_t k = 1; k < i; ++k) {
      if (const auto value = value_of(file, lines[k], mark == "+++")) add(file, *value, found);
    }
    return i + 1 < lines.size() ? lines[i + 1].begin : file.size();
  }
  return 0;
}

std::string front_matter_value(std::string_view text, TextForm form) {
  constexpr std::string_view escaped = "\"\\";
  if (form == TextForm::single_quoted) return with_doubled(text, "'", '\'');
  if (form == TextForm::double_quoted) return with_doubled(text, escaped, '\\');
  return is_plain(text) ? std::string(text) : '"' + with_doubled(text, escaped, '\\') + '"';
}

}  // namespace calque
