#include "data/markup/markdown_html_blocks.h"

#include "data/text/regex.h"

namespace calque {
std::optional<HtmlBlockEnd> html_block(std::string_view line, bool in_paragraph) {
  static const Regex raw(R"((?i)^<(?:script|pre|style|textarea)(?:[ \t>]|$))"),
      declaration(R"(^<![A-Za-z])"),
      block(
          R"((?i)^</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|)"
          R"(colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|)"
          R"(frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|)"
          R"(nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|)"
          R"(th|thead|title|tr|track|ul)(?:[ \t]|/?>|$))"),
      tag(R"(^<(?:/[A-Za-z][A-Za-z0-9-]*+[ \t]*+|[A-Za-z][A-Za-z0-9-]*+)"
          R"((?:[ \t]++[A-Za-z_:][A-Za-z0-9_.:-]*+)"
          R"((?:[ \t]*+=[ \t]*+(?:[^ \t"'=<>`]++|'[^']*+'|"[^"]*+"))?+)*+[ \t]*+/?)>[ \t]*+$)");
  if (!line.starts_with('<')) return std::nullopt;
  if (raw.find(line)) return HtmlBlockEnd::raw_element;
  if (line.starts_with("<!--")) return HtmlBlockEnd::comment;
  if (line.starts_with("<?")) return HtmlBlockEnd::instruction;
  if (line.starts_with("<![CDATA[")) return HtmlBlockEnd::cdata;
  if (declaration.find(line)) return HtmlBlockEnd::declaration;
  if (block.find(line)) return HtmlBlockEnd::blank_line;
  if (!in_paragraph && tag.find(line)) return HtmlBlockEnd::blank_line;
  return std::nullopt;
}

bool ends_html_block(HtmlBlockEnd end, std::string_view line) {
  static const Regex raw(R"((?i)</(?:script|pre|style|textarea)>)");
  switch (end) {
    case HtmlBlockEnd::blank_line:
      return false;
    case HtmlBlockEnd::raw_element:
      return raw.find(line).has_value();
    case HtmlBlockEnd::comment:
      return line.find("-->") != line.npos;
    case HtmlBlockEnd::instruction:
      return line.find("?>") != line.npos;
    case HtmlBlockEnd::declaration:
      return line.find('>') != line.npos;
    case HtmlBlockEnd::cdata:
      return line.find("]]>") != line.npos;
  }
  return true;
}

}  // namespace calque
