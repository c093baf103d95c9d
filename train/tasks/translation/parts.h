#pragma once
// Divides a source that is longer than any that the model was trained on. The model translates such
// a source badly, in time that grows with the square of its length.

#include <cstdint>
#include <span>
#include <vector>

#include "data/tokenizers/tokenizer.h"

namespace calque {

// The ends of the parts of `source`, ascending; the last one is its size. A part is a sentence. A
// sentence of more than `longest` tokens is divided before a word, and a longer word anywhere.
std::vector<size_t> part_ends(std::span<const int32_t> source, const Tokenizer& tokenizer,
                              int64_t longest);

// The tokens between the ends.
std::vector<std::vector<int32_t>> divided(const std::vector<int32_t>& ids,
                                          const std::vector<size_t>& ends);

}  // namespace calque
