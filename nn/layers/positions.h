#pragma once
// Attention ignores the order of tokens; positions provide it. The paper (Vaswani et al. 2017,
// section 3.5) adds a vector of sines and cosines, with wavelengths from 2 pi to 10000 * 2 pi, to
// the embedding at position p. Four tables of such vectors are in use:
//
//   interleaved  (p, 2k) = sin(p f_k)   (p, 2k + 1) = cos(p f_k)     f_k = 10000^(-2k / d)
//   halves       (p, k)  = sin(p f_k)   (p, d/2 + k) = cos(p f_k)    the same f_k
//   t2t          as halves, but f_k = 10000^(-k / (d/2 - 1))
//   fairseq      as t2t, from position 2 on
//
// interleaved is the formula of the paper; Sockeye and Hugging Face's Marian models use halves;
// tensor2tensor, the code of the paper, and Marian use t2t; fairseq, M2M100 and NLLB count the
// positions from 2. `learned` replaces the table by a parameter. `rotary` adds nothing here:
// attention rotates queries and keys instead (nn/layers/attention.h). VisionTransformer adds
// `plane` (nn/models/vision.h).

#include <cstdint>
#include <span>

#include "core/ops.h"
#include "core/parameters.h"
#include "nn/options.h"

namespace calque {

// The table of a sinusoidal kind from position `first` on: [positions, d_model].
Tensor sinusoids(PositionKind kind, int64_t positions, int64_t d_model, int64_t first = 0);

struct Positions {
  PositionKind kind;
  Tensor table;  // [max_positions, d_model]; absent for `rotary`, `plane` and `none`

  Positions(const Path& at, const LayerOptions& options);

  // Adds positions to x [tokens, d_model]. Sentence i starts at position starts[i], or at 0 if
  // starts is empty. Throws an Error if a sentence ends beyond the table of learned positions.
  Tensor operator()(const Tensor& x, const Segments& segments,
                    std::span<const int32_t> starts = {}) const;
};

}  // namespace calque
