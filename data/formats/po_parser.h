#pragma once
// The reading of gettext catalogues.

#include <string>
#include <string_view>

#include "data/formats/po.h"

namespace calque {

// The charset that the header of a catalogue names, or "UTF-8".
std::string po_charset(std::string_view bytes);

// Reads the messages of a file from its text. Throws an Error that names the line.
void parse_messages(PoFile& file);

}  // namespace calque
