#include "serve/text_pieces.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "data/text/lowercase.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

constexpr std::string_view white = " \t\n\r\f";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Whether the last character before `at` that is not white space is =.
bool follows_equals(std::string_view html, size_t at) {
  const size_t before = html.find_last_not_of(white, at - 1);
  return before != html.npos && html[before] == '=';
}

// Returns the end of the markup that begins at `at`, or `at` if the < there is text. Markup begins
// with <NAME, </NAME, <! or <?.
size_t end_of_markup(std::string_view html, size_t at) {
  const auto behind = [&](std::string_view end, size_t from) {
    const size_t found = html.find(end, from);
    return found == html.npos ? html.size() : found + end.size();
  };
  const std::string_view rest = html.substr(at);
  if (rest.starts_with("<!--")) return behind("-->", at + 4);
  if (rest.size() < 2) return at;
  const bool closing = rest[1] == '/' && rest.size() > 2 && is_letter(rest[2]);
  if (!is_letter(rest[1]) && !closing && rest[1] != '!' && rest[1] != '?') return at;
  char quote = 0;
  size_t end = at + 1;
  for (; end < html.size() && (quote || html[end] != '>'); ++end) {
    if (quote && html[end] == quote) {
      quote = 0;
    } else if (!quote && (html[end] == '"' || html[end] == '\'') && follows_equals(html, end)) {
      quote = html[end];
    }
  }
  end = std::min(html.size(), end + 1);
  for (const std::string_view raw : {"script", "style"}) {
    const char after = rest.size() > raw.size() + 1 ? rest[raw.size() + 1] : '>';
    const bool ends = after == '>' || after == '/' || white.find(after) != white.npos;
    if (!ends || ascii_lowercase(rest.substr(1, raw.size())) != raw) continue;
    for (; end < html.size(); ++end) {
      const std::string_view here = html.substr(end);
      if (here.starts_with("</") && ascii_lowercase(here.substr(2, raw.size())) == raw) break;
    }
  }
  return end;
}

// Returns the character of a reference such as &amp; at the start of `text`, and the length of the
// reference: 0 if there is none.
std::pair<std::string, size_t> decoded_name(std::string_view text) {
  // The names of U+00A0 to U+00FF, in order.
  static constexpr std::string_view names[] = {
      "nbsp",   "iexcl",  "cent",   "pound",  "curren", "yen",    "brvbar", "sect",   "uml",
      "copy",   "ordf",   "laquo",  "not",    "shy",    "reg",    "macr",   "deg",    "plusmn",
      "sup2",   "sup3",   "acute",  "micro",  "para",   "middot", "cedil",  "sup1",   "ordm",
      "raquo",  "frac14", "frac12", "frac34", "iquest", "Agrave", "Aacute", "Acirc",  "Atilde",
      "Auml",   "Aring",  "AElig",  "Ccedil", "Egrave", "Eacute", "Ecirc",  "Euml",   "Igrave",
      "Iacute", "Icirc",  "Iuml",   "ETH",    "Ntilde", "Ograve", "Oacute", "Ocirc",  "Otilde",
      "Ouml",   "times",  "Oslash", "Ugrave", "Uacute", "Ucirc",  "Uuml",   "Yacute", "THORN",
      "szlig",  "agrave", "aacute", "acirc",  "atilde", "auml",   "aring",  "aelig",  "ccedil",
      "egrave", "eacute", "ecirc",  "euml",   "igrave", "iacute", "icirc",  "iuml",   "eth",
      "ntilde", "ograve", "oacute", "ocirc",  "otilde", "ouml",   "divide", "oslash", "ugrave",
      "uacute", "ucirc",  "uuml",   "yacute", "thorn",  "yuml"};
  static_assert(std::size(names) == 0x100 - 0xA0);
  static constexpr std::pair<std::string_view, uint32_t> others[] = {
      {"amp", '&'},      {"lt", '<'},       {"gt", '>'},        {"quot", '"'},
      {"apos", '\''},    {"ndash", 0x2013}, {"mdash", 0x2014},  {"lsquo", 0x2018},
      {"rsquo", 0x2019}, {"sbquo", 0x201A}, {"ldquo", 0x201C},  {"rdquo", 0x201D},
      {"bdquo", 0x201E}, {"bull", 0x2022},  {"hellip", 0x2026}, {"euro", 0x20AC},
      {"OElig", 0x152},  {"oelig", 0x153},  {"Scaron", 0x160},  {"scaron", 0x161},
      {"Yuml", 0x178}};
  constexpr size_t longest_name = 6;
  const size_t end = text.substr(0, longest_name + 2).find(';');
  if (end == text.npos) return {"", 0};
  const std::string_view name = text.substr(1, end - 1);
  uint32_t number = 0;
  if (const auto found = std::ranges::find(names, name); found != std::end(names)) {
    number = 0xA0 + static_cast<uint32_t>(found - names);
  }
  for (const auto& [other, code] : others) {
    if (name == other) number = code;
  }
  if (number == 0) return {"", 0};
  std::string character;
  append_utf8(number, character);
  return {character, end + 1};
}

// Returns the character of a reference such as &amp; or &#x41; at the start of `text`, and the
// length of the reference: 0 if there is none.
std::pair<std::string, size_t> decoded_reference(std::string_view text) {
  if (!text.starts_with("&#")) return decoded_name(text);
  const bool hexadecimal = text.size() > 2 && (text[2] == 'x' || text[2] == 'X');
  const char* const begin = text.data() + (hexadecimal ? 3 : 2);
  uint32_t number = 0;
  const char* const last = text.data() + text.size();
  if (begin >= last) return {"", 0};
  const auto [end, problem] = std::from_chars(begin, last, number, hexadecimal ? 16 : 10);
  if (problem != std::errc() || end == last || *end != ';') return {"", 0};
  const bool surrogate = number >= 0xD800 && number < 0xE000;
  if (number == 0 || number > 0x10FFFF || surrogate) return {"", 0};
  std::string character;
  append_utf8(number, character);
  return {character, static_cast<size_t>(end + 1 - text.data())};
}

std::string without_references(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    auto [character, size] =
        text.front() == '&' ? decoded_reference(text) : std::pair(std::string(), size_t{0});
    if (size == 0) {
      character = text.front();
      size = 1;
    }
    plain += character;
    text.remove_prefix(size);
  }
  return plain;
}

void add_fixed(std::vector<TextPiece>& pieces, std::string_view text) {
  if (text.empty()) return;
  if (pieces.empty() || pieces.back().sentence) pieces.push_back({});
  pieces.back().text += text;
}

// Adds the text between two tags. White space at its ends does not belong to the sentence.
void add_text(std::vector<TextPiece>& pieces, std::string_view text) {
  const size_t first = text.find_first_not_of(white);
  if (first == text.npos) return add_fixed(pieces, text);
  const size_t last = text.find_last_not_of(white);
  add_fixed(pieces, text.substr(0, first));
  std::string sentence;
  for (const char c : without_references(text.substr(first, last + 1 - first))) {
    if (white.find(c) == white.npos) {
      sentence += c;
    } else if (sentence.empty() || sentence.back() != ' ') {
      sentence += ' ';
    }
  }
  pieces.push_back({std::move(sentence), true});
  add_fixed(pieces, text.substr(last + 1));
}

std::vector<TextPiece> pieces_of_html(std::string_view html) {
  std::vector<TextPiece> pieces;
  size_t begin = 0;
  for (size_t at = html.find('<'); at != html.npos; at = html.find('<', at)) {
    const size_t end = end_of_markup(html, at);
    if (end == at) {
      ++at;
      continue;
    }
    add_text(pieces, html.substr(begin, at - begin));
    add_fixed(pieces, html.substr(at, end - at));
    begin = at = end;
  }
  add_text(pieces, html.substr(begin));
  return pieces;
}

std::vector<TextPiece> lines_of(std::string_view text) {
  std::vector<TextPiece> pieces;
  while (true) {
    const size_t feed = text.find('\n');
    std::string_view line = text.substr(0, feed);
    if (line.ends_with('\r')) line.remove_suffix(1);
    pieces.push_back({std::string(line), true});
    add_fixed(pieces, text.substr(line.size(), feed == text.npos ? feed : feed + 1 - line.size()));
    if (feed == text.npos) return pieces;
    text.remove_prefix(feed + 1);
  }
}

}  // namespace

std::vector<TextPiece> pieces_of(std::string_view text, TextFormat format) {
  return format == TextFormat::html ? pieces_of_html(text) : lines_of(text);
}

std::vector<TextPiece> divided(std::vector<TextPiece> pieces, const SentenceSplitter& splitter) {
  std::vector<TextPiece> all;
  for (TextPiece& piece : pieces) {
    if (!piece.sentence) {
      add_fixed(all, piece.text);
      continue;
    }
    size_t at = 0;
    const std::string_view text = piece.text;
    for (const TextRange& range : splitter.split(text)) {
      add_fixed(all, text.substr(at, range.begin - at));
      all.push_back({std::string(range.of(text)), true});
      at = range.end;
    }
    add_fixed(all, text.substr(at));
  }
  return all;
}

std::string written(const std::string& sentence, TextFormat format) {
  if (format == TextFormat::text) return sentence;
  std::string html;
  for (const char c : sentence) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

}  // namespace calque
