#include "data/placeholders/placeholders.h"

#include <algorithm>
#include <array>

#include "data/text/regex.h"

namespace calque {
namespace {

// Regular expressions of each kind; an earlier one wins where two match at a place.
constexpr std::string_view
    address_pattern =
        R"((?:(?:https?|ftp|file)://|www\.)[^\s<>"'{}\x{201D}\x{2019}\x{BB}]*[^\s<>"'{}\x{201D}\x{2019}\x{BB}.,;:!?\x{2026}()\[\]])"
        R"(|[A-Za-z0-9._+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)",
    tag_pattern =
        R"(</?[A-Za-z][^<>\n]{0,500}>|<!--[^<>]{0,500}-->|&(?:[A-Za-z]{2,8}|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});)",
    brace_pattern =
        R"(\{\{[^{}\n]{0,100}\}\}|\$\{[^{}\n]{1,100}\}|\{[A-Za-z0-9_][^{}\n]{0,100}\}|\{\}|\$\([A-Za-z_]\w*\)|\[X[0-9]{1,6}X\])",
    directive_pattern =
        R"(%\([A-Za-z_][\w.]*\)[-+#0]*[0-9]*(?:\.[0-9]+)?[A-Za-z])"
        R"(|%(?:[0-9]+\$)?[-+#0']*(?:[0-9]+|\*(?:[0-9]+\$)?)?(?:\.(?:[0-9]+|\*(?:[0-9]+\$)?)?)?)"
        R"((?:hh|ll|I64|[hlLqjzt])?[diouxXeEfFgGaAcspm@]|%L?[0-9]{1,2}|%n|%%)",
    markup_pattern = R"(\x{FDD0}t?[0-9]{1,20}\x{FDD1})",
    number_pattern = R"([0-9]+(?:[.,:/-][0-9]+)*)";

Regex pattern_of(const PlaceholderKinds& kinds) {
  std::string all;
  const auto add = [&](bool wanted, std::string_view pattern) {
    if (wanted) (all += all.empty() ? "" : "|").append(pattern);
  };
  add(kinds.markup, markup_pattern);
  add(kinds.addresses, address_pattern);
  add(kinds.tags, tag_pattern);
  add(kinds.braces, brace_pattern);
  add(kinds.directives, directive_pattern);
  add(kinds.numbers, number_pattern);
  return Regex(all.empty() ? "(?!)" : all);
}

// Compiled once for each choice of kinds.
const Regex& expression(const PlaceholderKinds& kinds) {
  static const std::vector<Regex> all = [] {
    std::vector<Regex> expressions;
    for (unsigned i = 0; i < 64; ++i) {
      expressions.push_back(pattern_of({.directives = (i & 1) != 0,
                                        .braces = (i & 2) != 0,
                                        .tags = (i & 4) != 0,
                                        .addresses = (i & 8) != 0,
                                        .numbers = (i & 16) != 0,
                                        .markup = (i & 32) != 0}));
    }
    return expressions;
  }();
  return all[(kinds.directives ? 1u : 0) | (kinds.braces ? 2u : 0) | (kinds.tags ? 4u : 0) |
             (kinds.addresses ? 8u : 0) | (kinds.numbers ? 16u : 0) | (kinds.markup ? 32u : 0)];
}

bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }

// What must be equal: the digits of a number, all of others.
std::string key_of(std::string_view placeholder) {
  std::string key(placeholder);
  if (is_ascii_digit(key.front()) && key.find('@') == key.npos) {
    std::erase_if(key, [](char c) { return !is_ascii_digit(c); });
  }
  return key;
}

// %s or {}: its argument is the next one. Tags of markup must stay nested.
bool is_positional(std::string_view placeholder) {
  if (placeholder.starts_with(kept_begin)) return placeholder[kept_begin.size()] == 't';
  if (placeholder == "{}") return true;
  if (!placeholder.starts_with('%') || placeholder == "%%" || placeholder == "%n") return false;
  return placeholder.find('$') == placeholder.npos && !placeholder.starts_with("%(") &&
         !is_ascii_digit(placeholder.back());
}

}  // namespace

std::vector<TextRange> find_placeholders(std::string_view text, const PlaceholderKinds& kinds) {
  std::vector<TextRange> ranges;
  const Regex& pattern = expression(kinds);
  for (auto match = pattern.find(text); match; match = pattern.find(text, match->end)) {
    ranges.push_back({match->begin, match->end});
  }
  return ranges;
}

bool same_placeholders(std::string_view source, std::string_view translation,
                       const PlaceholderKinds& kinds) {
  const auto keys = [&](std::string_view text) {
    std::vector<std::string> named, positional;
    for (const TextRange& range : find_placeholders(text, kinds)) {
      const std::string key = key_of(range.of(text));
      (is_positional(key) ? positional : named).push_back(key);
    }
    std::ranges::sort(named);
    return std::pair(named, positional);
  };
  return keys(source) == keys(translation);
}

}  // namespace calque
