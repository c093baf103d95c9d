#pragma once
// The substitutions that mteval-v13a.pl and Tercom share. Both apply a sequence of regular
// expressions to the whole line; each function is one or more of these. The expressions treat all
// characters outside ASCII alike, so the functions work on bytes.

#include <string>
#include <string_view>

namespace calque {

// s/[{-~[-` -&(-+:-@\/]/ $& /g: a space around ASCII punctuation and symbols but ' , - and .
std::string separate_symbols(std::string_view text);

// s/([^0-9])([.,])/$1 $2 /g; s/([.,])([^0-9])/ $1 $2/g; s/([0-9])(-)/$1 $2 /g
std::string separate_number_marks(const std::string& text);

// Replaces every occurrence of `pattern`, which must not be empty.
std::string replace_all(std::string_view text, std::string_view pattern, std::string_view by);

// &quot; &amp; &lt; &gt; in this order, so that &amp;lt; becomes <.
std::string resolve_entities(std::string text);

}  // namespace calque
