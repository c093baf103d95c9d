#pragma once
// The classic toy tasks: lines of symbols to be copied, reversed or sorted.

#include <cstdint>
#include <string_view>

#include "data/toy/toy.h"

namespace calque {

enum class SymbolTask { copy, reverse, sort };

// A random line and its target. Unseen are lines with one of the pairs of neighbours (one in fifty)
// that training never shows side by side.
ToyLanguage::Draft draw_symbols(SymbolTask task, const SymbolOptions& options, Random& random);

// The number of lines.
double count_symbols(const SymbolOptions& options);

}  // namespace calque
