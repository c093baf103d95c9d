#pragma once
// The cross-entropy of single tokens, for the ops of cross_entropy.cpp. With p = softmax(logits)
// and the target distribution q = (1 - e) onehot + e / V, the loss of a token is
// -sum_j q_j log p_j, and its gradient with respect to the logits is p - q, which can overwrite the
// logits.

#include <span>
#include <vector>

#include "core/ops.h"

namespace calque {

// The loss of one token.
struct RowLoss {
  double loss = 0, nll = 0;
  bool correct = false;
};

// Rows of logits, `stride` apart.
struct LogitRows {
  real* data;
  int64_t vocabulary, stride;
};

// The losses of the rows, one for each expected token. Overwrites the logits, with p - q if
// `gradient` is true.
void row_losses(const LogitRows& logits, std::span<const int32_t> expected, real smoothing,
                bool gradient, RowLoss* losses);

struct PairOptions {
  real smoothing, agreement;
};
// The same for the two passes of agreeing_cross_entropy(); nll and `correct` are those of the first
// pass. With `gradient`, overwrites both logits with the gradients of this loss.
void pair_losses(const LogitRows& first, const LogitRows& second, std::span<const int32_t> expected,
                 const PairOptions& options, bool gradient, RowLoss* losses);

struct TaughtOptions {
  real smoothing, share;
};
// The same for distilled_cross_entropy(), with the logits of the teacher. Overwrites both.
void taught_losses(const LogitRows& logits, const LogitRows& teacher,
                   std::span<const int32_t> expected, const TaughtOptions& options, bool gradient,
                   RowLoss* losses);

// The sum of the rows; its loss has no gradient yet.
TokenLoss sum_of(const std::vector<RowLoss>& rows);

// Throws if rows and expected tokens do not match, or an id or the smoothing is out of range.
void check_expected(const char* op, const Shape& rows, int64_t vocabulary,
                    std::span<const int32_t> expected, real smoothing);

}  // namespace calque
