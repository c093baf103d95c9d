#pragma once
// The substitutions that mteval-v13a.pl and Tercom have in common. Both are written as a sequence
// of regular expressions over the whole line, each applied from left to right to what the one
// before left over; the functions here are those expressions, one each. All that they look for is
// ASCII, so they work on bytes.

#include <string>
#include <string_view>

namespace calque {

// s/[{-~[-` -&(-+:-@\/]/ $& /g: a space around ASCII punctuation and symbols but ' , - and .
std::string separate_symbols(std::string_view text);

// s/([^0-9])([.,])/$1 $2 /g; s/([.,])([^0-9])/ $1 $2/g; s/([0-9])(-)/$1 $2 /g
std::string separate_number_marks(const std::string& text);

// Every occurrence of `pattern`, which is not empty, replaced.
std::string replace_all(std::string_view text, std::string_view pattern, std::string_view by);

// &quot; &amp; &lt; &gt; in this order, so that &amp;lt; becomes <.
std::string resolve_entities(std::string text);

}  // namespace calque
