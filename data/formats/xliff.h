#pragma once
// XLIFF 1.2 (<trans-unit>) and 2.0 (<segment>): <source> and <target> of each unit.

#include "data/files/file.h"
#include "data/formats/pairs.h"

namespace calque {

// Codes of other formats (bpt, ept, it, ph) are left out; the text in g, pc and mrk is not.
void read_xliff(const File& file, const std::string& name, const PairLanguages& languages,
                const TakePair& take);

}  // namespace calque
