#pragma once
// TMX, the format of translation memories: <tu> with a <tuv xml:lang="..."><seg> for each language.

#include "data/files/file.h"
#include "data/formats/pairs.h"

namespace calque {

// The codes of other formats in a segment (bpt, ept, it, ph, ut) are left out, the text in hi is
// not.
void read_tmx(const File& file, const std::string& name, const PairLanguages& languages,
              const TakePair& take);

}  // namespace calque
