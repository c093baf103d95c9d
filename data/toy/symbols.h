#pragma once
// The toy tasks over symbols: lines to be copied, reversed or sorted.

#include "data/toy/toy.h"

namespace calque {

enum class SymbolTask { copy, reverse, sort };

// A random line and its target. One in fifty pairs of neighbouring symbols is held out of training;
// a line with such a pair is unseen.
ToyLanguage::Draft draw_symbols(SymbolTask task, const SymbolOptions& options, Random& random);

// The number of lines.
double count_symbols(const SymbolOptions& options);

}  // namespace calque
