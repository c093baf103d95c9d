#include "data/markup/html_references.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>

#include "data/text/utf8.h"

namespace calque {
namespace {

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

}  // namespace

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

bool begins_reference(std::string_view text) {
  constexpr size_t longest = 34;
  if (!text.starts_with('&')) return false;
  text = text.substr(0, longest);
  const size_t name = text.starts_with("&#") ? 2 : 1;
  const size_t end = text.find(';', name);
  return end != text.npos && end > name &&
         std::ranges::all_of(text.substr(name, end - name), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
         });
}

std::string with_references(std::string_view text, const ReferenceOptions& options) {
  std::string html;
  for (size_t at = 0; at < text.size(); ++at) {
    if (options.no_break_space && text.substr(at).starts_with("\u00A0")) {
      html += no_break_space;
      ++at;
      continue;
    }
    switch (text[at]) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += options.quotes ? "&quot;" : "\"";
        break;
      case '\'':
        html += options.quotes ? "&#39;" : "'";
        break;
      default:
        html += text[at];
    }
  }
  return html;
}

}  // namespace calque
