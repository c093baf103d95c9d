#pragma once
// Parts of a text that a translation must repeat exactly: directives of printf, Python and Qt,
// names in braces, tags and character references, addresses, numbers.

#include <string>
#include <string_view>
#include <vector>

#include "data/text/text_range.h"

namespace calque {

// The characters around the number of what a file with markup keeps. They are no characters of
// texts (Unicode's noncharacters).
inline constexpr std::string_view kept_begin = "\uFDD0", kept_end = "\uFDD1";

struct PlaceholderKinds {
  bool directives = false;  // %s, %1$d, %(name)s, %L1, %%
  bool braces = false;      // {name}, {{name}}, ${name}, {}, and Weblate's [X5X]
  bool tags = false;        // <b>, </a>, &amp;
  bool addresses = true;    // https://..., name@host
  bool numbers = false;     // 3, 1.5, 2024-05-01: their digits; a decimal point may become a comma
  bool markup = false;      // kept_begin NUMBER kept_end; in their order with a t before NUMBER

  static PlaceholderKinds all() { return {true, true, true, true, true}; }
  static PlaceholderKinds all_but_numbers() { return {true, true, true, true, false}; }
};

// In their order. Requires well-formed UTF-8.
std::vector<TextRange> find_placeholders(std::string_view text, const PlaceholderKinds& kinds);

// Whether the translation has the placeholders of the source, each as often, and those without a
// name or a number (%s) and the tags of a file with markup in the same order.
bool same_placeholders(std::string_view source, std::string_view translation,
                       const PlaceholderKinds& kinds);

}  // namespace calque
