#pragma once
// Products whose left side has only a few rows, as when a single sentence is translated: the right
// side, a weight, is read once from where it lies, and nothing else counts. A product that first
// copies it to panels reads, writes and reads again.
//
// Every number is summed in the same order wherever the threads cut the columns.

#include "core/blas.h"

namespace calque {

// Whether this is the way for a b: the rows of a are few, and lie as rows.
bool has_few_rows(const Matrix& a);

// As gemm(), which calls it.
void few_rows_product(const Matrix& a, const Matrix& b, Sink c, real scale, int64_t stride);

}  // namespace calque
