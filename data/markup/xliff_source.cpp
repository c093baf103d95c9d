#include "data/markup/xliff_source.h"

#include "data/markup/html_references.h"

namespace calque {
namespace {

constexpr std::string_view cdata = "<![CDATA[";

// Codes of other formats, with their content.
bool is_whole_code(std::string_view name) {
  static constexpr std::string_view names[] = {"bpt", "ept", "it", "ph"};
  return is_one_of(names, name);
}
// Codes that end one that another began, in an element of its own.
bool is_end_code(std::string_view name) {
  static constexpr std::string_view names[] = {"ept", "ex", "ec", "em"};
  return is_one_of(names, name);
}
bool is_begin_code(std::string_view name) {
  static constexpr std::string_view names[] = {"bpt", "bx", "sc", "sm"};
  return is_one_of(names, name);
}

// Of an element that may hold others of its name.
size_t behind_end(std::string_view xml, const HtmlTag& element) {
  size_t at = xml.find('<', element.range.end);
  for (int depth = 1; at != xml.npos; at = xml.find('<', at)) {
    if (const size_t end = behind_opaque(xml, at); end > at) {
      at = end;
      continue;
    }
    const auto tag = html_tag_at(xml, at);
    at = tag ? tag->range.end : at + 1;
    if (!tag || tag->name != element.name || tag->closes_itself) continue;
    if (tag->kind == HtmlTag::Kind::opening) ++depth;
    if (tag->kind == HtmlTag::Kind::closing && --depth == 0) return at;
  }
  return xml.size();
}

// What a code and the one that ends it share.
std::string number_of(std::string_view xml, const HtmlTag& tag) {
  for (const std::string_view name : {"rid", "startref", "id"}) {
    const std::string_view number = attribute_of(xml, tag, name);
    if (!number.empty()) return "#" + std::string(number);
  }
  return "#";
}

// Returns the end of the code.
size_t add_code(std::string_view xml, const HtmlTag& tag, MarkedTextBuilder& to) {
  const std::string_view name = without_prefix(tag.name);
  TextRange whole = tag.range;
  if (tag.kind == HtmlTag::Kind::other) {
    to.put(whole);
  } else if (tag.kind == HtmlTag::Kind::closing) {
    to.close(tag.name, whole);
  } else {
    if (is_whole_code(name) && !tag.closes_itself) whole.end = behind_end(xml, tag);
    if (is_begin_code(name)) {
      to.open(number_of(xml, tag), whole);
    } else if (is_end_code(name)) {
      to.close(number_of(xml, tag), whole);
    } else if (tag.closes_itself || is_whole_code(name)) {
      to.put(whole);
    } else {
      to.open(tag.name, whole);
    }
  }
  return whole.end;
}

// What begins with <. Returns its end.
size_t add_markup(std::string_view xml, size_t at, MarkedTextBuilder& to) {
  const size_t end = behind_opaque(xml, at);
  if (end > at && xml.substr(at).starts_with(cdata)) {
    const size_t text = at + cdata.size();
    to.add(xml.substr(text, end - 3 - text), {at, end});
    return end;
  }
  const auto tag = html_tag_at(xml, at);
  if (end == at && tag) return add_code(xml, *tag, to);
  // An instruction, or an element whose name begins with no letter of ASCII.
  const size_t last = end > at ? end : std::min(xml.find('>', at), xml.size() - 1) + 1;
  to.put({at, last});
  return last;
}

}  // namespace

std::string_view attribute_of(std::string_view xml, const HtmlTag& tag, std::string_view name) {
  for (const HtmlAttribute& each : attributes_of(xml, tag)) {
    if (each.name == name) return each.value.of(xml);
  }
  return {};
}

size_t behind_opaque(std::string_view xml, size_t at) {
  for (const auto& [begin, end] :
       {std::pair<std::string_view, std::string_view>(cdata, "]]>"), {"<?", "?>"}}) {
    if (!xml.substr(at).starts_with(begin)) continue;
    const size_t found = xml.find(end, at + begin.size());
    return found == xml.npos ? xml.size() : found + end.size();
  }
  return at;
}

PlacedText xliff_source(std::string_view xml, TextRange content, std::vector<TextRange>& kept) {
  MarkedTextBuilder builder(kept);
  for (size_t at = content.begin; at < content.end;) {
    const size_t begin = at;
    if (xml[at] == '<') {
      at = add_markup(xml, at, builder);
    } else if (xml[at] == '&') {
      const auto [character, size] = decoded_reference(xml.substr(at));
      at += std::max<size_t>(size, 1);
      builder.add(size == 0 ? "&" : character, {begin, at});
    } else {
      at = std::min(xml.find_first_of("<&", at), content.end);
      builder.add(xml.substr(begin, at - begin), {begin, at});
    }
  }
  return builder.take();
}

}  // namespace calque
