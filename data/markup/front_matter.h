#pragma once
// The front matter of a Markdown file: YAML between lines of ---, or TOML between lines of +++.

#include <string>
#include <string_view>

#include "data/markup/markup.h"

namespace calque {

// Adds the values of title, description and similar keys that are one line. Returns where the front
// matter ends: 0 if there is none.
size_t read_front_matter(std::string_view file, Markup& found);

// A value as the file has it: with escapes, and a plain one in quotes if YAML would read it as
// something else.
std::string front_matter_value(std::string_view text, TextForm form);

}  // namespace calque
