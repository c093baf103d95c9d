#pragma once
// Weights of full precision as the compact ones of Parameters::allocate().

#include <memory>

#include "core/parameters.h"

namespace calque {

// The matrix of zeros that holds a parameter in a form below full precision; nullptr for parameters
// that are never compact.
std::unique_ptr<CompactMatrix> compact_zeros(Role role, const Shape& shape, Precision form);

// The values of a parameter in a form below full precision; nullptr for parameters that are never
// compact.
std::unique_ptr<CompactMatrix> compact_weight(const Parameters::Entry& entry, Precision form);

// Gives a parameter the values that it has in a form; those that are never compact, and the form
// Precision::full, change nothing.
void round_weight(const Parameters::Entry& entry, Precision form);

}  // namespace calque
