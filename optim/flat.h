#pragma once
// What all update rules share: the flat buffer of the parameters, state buffers of the same layout,
// and the gradients. Parameters and gradients start at multiples of a vector and are padded with
// zeros, so a rule processes whole vectors; every rule maps the zeros of the padding to zeros.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/memory/pool.h"
#include "core/named.h"
#include "core/parameters.h"
#include "core/threads/parallel.h"
#include "optim/flat_ranges.h"

namespace calque {

// The arguments of one update.
struct FlatUpdate {
  std::span<real> values;
  std::span<const real* const> gradients;  // of each parameter
  double gradient_factor;                  // multiplies every gradient: scaling and clipping
  double learning_rate;
  int64_t step;  // counts from 1
};

// A named part of an optimiser's state. Restoring all of them and the number of steps continues a
// run bit for bit.
struct StateWindow {
  std::string name;
  std::span<real> values;
  // Where the values are in the state of all ranks. Empty: the values are that state.
  FlatRanges pieces = {};
};

inline std::span<real> span_of(Buffer<real>& buffer) {
  return {buffer.data(), static_cast<size_t>(buffer.size())};
}

// Which parameters decay, by role: matrices are all except biases and the gains of norms;
// embeddings are the tables of tokens and positions, also if such a table is tied to the output
// projection.
enum class Decayed { everything, matrices, matrices_but_embeddings };
inline constexpr Named<Decayed> decayed_kinds[] = {
    {"everything", Decayed::everything},
    {"matrices", Decayed::matrices},
    {"matrices-but-embeddings", Decayed::matrices_but_embeddings}};

// `decoupled` multiplies the weight by 1 - learning_rate * rate (Loshchilov and Hutter, 2019:
// AdamW); `coupled` adds rate * weight to the gradient, after clipping (L2 regularisation).
enum class Coupling { decoupled, coupled };

struct WeightDecay {
  double rate = 0;
  Decayed what = Decayed::matrices;
  Coupling coupling = Coupling::decoupled;
};
bool is_decayed(const Parameters::Entry& entry, Decayed what);

// A slice of a parameter, of whole vectors, and its rate of decay (or 0). Slices depend only on the
// parameters and the ranges, so the number of threads does not change the results.
struct FlatSlice {
  int64_t begin, size;  // in the flat buffer
  int64_t state;        // the index of `begin` in a buffer that covers only the ranges
  size_t parameter;
  int64_t offset;  // in the parameter and in its gradient
  double decay;
};
// The slices of all parameters in the ranges that are not frozen. The ranges must consist of whole
// cache lines.
std::vector<FlatSlice> flat_slices(const Parameters& parameters, const WeightDecay& decay,
                                   const FlatRanges& ranges);

template <class Body>
void for_slices(const std::vector<FlatSlice>& slices, Body&& body) {
  parallel_for(static_cast<int64_t>(slices.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(slices[static_cast<size_t>(i)]);
  });
}

}  // namespace calque
