#pragma once
// `listops`: nested operations on lists of digits, and their value (Nangia and Bowman 2018). A
// model must follow brackets over the whole line to know it.
//
//   [MAX 4 [MIN 2 3 ] 0 ]  ->  4
//
// The operations are the minimum, the maximum, the median (rounded down) and the sum modulo 10.

#include "data/toy/toy.h"

namespace calque {

// The language of expressions of options.shortest to options.longest symbols; each bracket with its
// operation, each digit and each closing bracket is one symbol. The split `compositional` has
// outermost operations with a number of arguments that the other splits never show for them. Throws
// an Error if the lengths are invalid.
ToyLanguage listops(const SymbolOptions& options);

}  // namespace calque
