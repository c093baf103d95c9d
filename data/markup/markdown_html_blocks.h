#pragma once
// Which lines of Markdown begin a block of HTML, and where the block ends (CommonMark 4.6).

#include <optional>
#include <string_view>

namespace calque {

enum class HtmlBlockEnd { blank_line, raw_element, comment, instruction, declaration, cdata };

// Absent if the line begins no block. What may be inline HTML begins none within a paragraph.
std::optional<HtmlBlockEnd> html_block(std::string_view line, bool in_paragraph);

// Whether the block ends with this line. Blank lines do not reach this.
bool ends_html_block(HtmlBlockEnd end, std::string_view line);

}  // namespace calque
