#pragma once
// RUN/shortlist.txt. Line 1 has the format and the hash of the tokenizers, line 2 the ids for every
// source, and each line after that the ids for one source token, in the order of their ids.

#include <memory>

#include "decode/shortlist.h"
#include "train/storage/run_folder.h"
#include "train/tasks/translation/tokenizers.h"

namespace calque {

void save_shortlist(const RunFolder& run, const Tokenizers& tokenizers, const Shortlist& list);

// Null if there is none. Throws an Error for a file that is damaged or of other tokenizers.
std::shared_ptr<const Shortlist> stored_shortlist(const RunFolder& run,
                                                  const Tokenizers& tokenizers);

}  // namespace calque
