#pragma once
// Compiled gettext catalogues (.mo), of either byte order.

#include "data/formats/po.h"

namespace calque {

// The messages as those of a catalogue without comments. Throws an Error for a damaged file.
PoFile read_mo(const std::string& path);

// The catalogue that a compiled one was made from, as `msgunfmt` writes it. `name` names the file
// in errors.
std::string po_of_mo(std::string_view bytes, const std::string& name);

}  // namespace calque
