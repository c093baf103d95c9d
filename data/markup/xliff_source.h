#pragma once
// The text of a <source> of XLIFF. Its codes become tags: those that have an end, such as <g> or
// <bx/> with <ex/>, are pairs.

#include <algorithm>
#include <string_view>
#include <vector>

#include "data/markup/html_tags.h"
#include "data/markup/text_builder.h"

namespace calque {

// The name of an element without the prefix of a namespace.
inline std::string_view without_prefix(std::string_view name) {
  const size_t colon = name.find(':');
  return colon == name.npos ? name : name.substr(colon + 1);
}

// Whether one of a list of names.
template <size_t count>
bool is_one_of(const std::string_view (&names)[count], std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

// Of a tag; empty if it is missing.
std::string_view attribute_of(std::string_view xml, const HtmlTag& tag, std::string_view name);

// The end of a CDATA section or a processing instruction that begins at `at`; `at` if none does.
size_t behind_opaque(std::string_view xml, size_t at);

// `content` is what stands in the element; `kept` the kept parts of the file. Requires well-formed
// XML.
PlacedText xliff_source(std::string_view xml, TextRange content, std::vector<TextRange>& kept);

}  // namespace calque
