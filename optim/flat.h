#pragma once
// What every update rule works on: the flat buffer of the parameters, buffers of its own with the
// same layout, and each parameter's gradient. The windows start on whole vectors, and the gaps
// between them and what lies behind a gradient are zero, so a rule runs over whole vectors from end
// to end; each rule maps a gap's zeros to zeros again.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/memory.h"
#include "core/named.h"
#include "core/parallel.h"
#include "core/parameters.h"
#include "core/simd.h"

namespace calque {

// One update, as a rule sees it.
struct FlatUpdate {
  std::span<real> values;
  std::span<const real* const> gradients;  // of each parameter
  double gradient_factor;  // every gradient is multiplied by it as it is read: scaling and clipping
  double learning_rate;
  int64_t step;  // this update's number, counted from 1
};

// A named part of an optimiser's memory. Written to a file and read back into the same window, with
// the number of steps, it continues in the same bits.
struct StateWindow {
  std::string name;
  std::span<real> values;
};

inline std::span<real> span_of(Buffer<real>& buffer) {
  return {buffer.data(), static_cast<size_t>(buffer.size())};
}

// Which parameters decay, by their role: matrices are all but biases and the gains of norms;
// embeddings are the tables of tokens and of positions, also where one is the output projection
// too.
enum class Decayed { everything, matrices, matrices_but_embeddings };
inline constexpr Named<Decayed> decayed_kinds[] = {
    {"everything", Decayed::everything},
    {"matrices", Decayed::matrices},
    {"matrices-but-embeddings", Decayed::matrices_but_embeddings}};

// How: `decoupled` multiplies the weight by 1 - learning_rate * rate (Loshchilov and Hutter, 2019:
// AdamW); `coupled` adds rate * weight to the gradient, after clipping (L2 regularisation).
enum class Coupling { decoupled, coupled };

struct WeightDecay {
  double rate = 0;
  Decayed what = Decayed::matrices;
  Coupling coupling = Coupling::decoupled;
};
bool is_decayed(const Parameters::Entry& entry, Decayed what);

// A piece of one parameter, of whole vectors, and its rate of decay (or 0). Its bounds depend on
// the parameters alone: threads share the pieces out, and the results are the same bits.
struct FlatPiece {
  int64_t begin, size;  // in the flat buffers
  size_t parameter;
  int64_t offset;  // of its first number in the parameter, and in the parameter's gradient
  double decay;
};
std::vector<FlatPiece> flat_pieces(const Parameters& parameters, const WeightDecay& decay);

template <class Body>
void for_pieces(const std::vector<FlatPiece>& pieces, Body&& body) {
  parallel_for(static_cast<int64_t>(pieces.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(pieces[static_cast<size_t>(i)]);
  });
}

// A setting as a vector of equal lanes.
inline Vec lanes_of(double value) { return broadcast(static_cast<real>(value)); }

}  // namespace calque
