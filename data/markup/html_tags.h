#pragma once
// The tags, comments and declarations of HTML, as a browser finds them, and of subtitles.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/text_range.h"

namespace calque {

struct HtmlAttribute {
  std::string name;  // in lower case
  TextRange value;   // without its quotes
  char quote = 0;    // " or ', or 0 for a value without quotes
};

struct HtmlTag {
  enum class Kind { opening, closing, other } kind;  // other: a comment or a declaration
  std::string name;                                  // in lower case
  TextRange range;
  bool closes_itself = false;  // <br/>
};

// The markup that begins at `at`: <NAME, </NAME, <! or <?. Absent if the < there is text. What is
// not closed extends to the end.
std::optional<HtmlTag> html_tag_at(std::string_view html, size_t at);

// The tags of one text in which a < may also be text, from left to right: those that are closed.
// Looks for the end of at most 20 that are not, since each is a search of the whole text.
class ClosedTags {
 public:
  std::optional<HtmlTag> at(std::string_view text, size_t at);

 private:
  int unclosed_ = 0;
};

// The attributes with a value.
std::vector<HtmlAttribute> attributes_of(std::string_view html, const HtmlTag& tag);

// Where </NAME begins at `at` or later; the end of the text without one.
size_t find_closing_tag(std::string_view html, size_t at, std::string_view name);

// Whether HTML's elements of this name have no content: br, img, ...
bool is_void(std::string_view name);
// Whether they stand within a line of text: b, a, span, ...
bool is_inline(std::string_view name);

}  // namespace calque
