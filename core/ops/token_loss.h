#pragma once
// The cross-entropy of single tokens, for the ops of cross_entropy.cpp. With p = softmax(logits)
// and the target distribution q = (1 - e) onehot + e / V, a token's loss is -sum_j q_j log p_j and
// its gradient by the logits p - q, so a row of logits can become its own gradient at once.

#include <span>
#include <vector>

#include "core/ops.h"

namespace calque {

// What one token contributes.
struct RowLoss {
  double loss = 0, nll = 0;
  bool correct = false;
};

// Rows of logits, `stride` apart.
struct LogitRows {
  real* data;
  int64_t vocabulary, stride;
};

// The losses of some rows, one for each expected token. The logits become p, or p - q when the
// gradient is wanted.
void row_losses(const LogitRows& logits, std::span<const int32_t> expected, real smoothing,
                bool gradient, RowLoss* losses);

// The same for two passes over the same tokens that are to agree: one loss for each token, as
// agreeing_cross_entropy() has it, whose nll and right prediction are the first pass's.
struct PairOptions {
  real smoothing, agreement;
};
void pair_losses(const LogitRows& first, const LogitRows& second, std::span<const int32_t> expected,
                 const PairOptions& options, bool gradient, RowLoss* losses);

// Their sum; its loss carries no gradient yet.
TokenLoss sum_of(const std::vector<RowLoss>& rows);

// Throws where a row has no expected token of the vocabulary, or the smoothing is none.
void check_expected(const char* op, const Shape& rows, int64_t vocabulary,
                    std::span<const int32_t> expected, real smoothing);

}  // namespace calque
