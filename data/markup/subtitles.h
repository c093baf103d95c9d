#pragma once
// Finds the texts of subtitles, SubRip (.srt) and WebVTT (.vtt). A sentence may go on over several
// subtitles: those are one text, with a border between each two. Numbers, times, settings and tags
// are kept, and so are notes, styles and regions.

#include <string>
#include <string_view>

#include "data/markup/markup.h"

namespace calque {

// Requires well-formed UTF-8. Throws an Error that names the line for a file without times; `name`
// is the file's. `form` is srt or vtt.
Markup read_subtitles(std::string_view file, TextForm form, const std::string& name);

}  // namespace calque
