#pragma once
// Tables of positions: recognized in another engine's model, and written for it.

#include "core/tensor.h"
#include "nn/layers/positions.h"
#include "nn/options.h"

namespace calque {

// The sinusoidal kind that the table matches, `none` if it is all zeros, or else `learned`.
PositionKind kind_of_table(const Tensor& table);
// Copies the engine's table if the positions are learned.
void fill_learned(const Positions& own, const Tensor& table);

// The table that an engine adds to the embeddings: the learned table, `rows` rows of sinusoids, or
// zeros for a model without positions.
Tensor position_table(const Positions& positions, int64_t rows, int64_t d_model);
// The number of rows of the tables in exports of translators to transformers and ONNX.
int64_t exported_positions(const LayerOptions& layer);

}  // namespace calque
