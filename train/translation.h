#pragma once
// Texts in, translations out: tokenise, search, detokenise.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "decode/search.h"
#include "train/tokenizers.h"

namespace calque {

// One translation a text, in the same order; a text without tokens gives an empty one.
std::vector<std::string> translate_texts(std::span<const Transformer* const> models,
                                         const Tokenizers& tokenizers,
                                         std::span<const std::string> texts,
                                         const SearchOptions& options,
                                         const std::function<void(int64_t)>& done = {});

}  // namespace calque
