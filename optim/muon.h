#pragma once
// Muon (Jordan et al., "Muon: an optimizer for hidden layers in neural networks", 2024): momentum,
// of which each matrix moves by the nearest matrix with orthogonal rows or columns. All directions
// of a matrix are then learnt at the same speed. For the gradient g of a step:
//
//   m = momentum m + (1 - momentum) g          u = momentum m + (1 - momentum) g   (Nesterov's)
//   X = u / |u|, five times:  A = X X^T,  X = (a I + b A + c A A) X
//   w = w - learning_rate * scale * sqrt(max(rows, columns)) * X
//
// The last factor gives an update about the size of Adam's (Liu et al., "Muon is scalable for LLM
// training", 2025), so that the same learning rate and weight decay fit both. The iteration
// (Newton and Schulz) brings the singular values of u to between 0.7 and 1.2, not to 1.
//
// The weights of products follow this rule; embeddings, the projection to a vocabulary, biases and
// gains follow Adam.

#include "optim/adam.h"

namespace calque {

struct MuonSettings {
  double momentum = 0.95;
  double scale = 0.2;  // the root mean square of an update, divided by the learning rate
  // Of the parameters that follow Adam.
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-9;
  WeightDecay decay = {};  // always decoupled
};

class Muon {
 public:
  // Updates the parameters in the ranges, which hold each matrix whole or not at all.
  Muon(const Parameters& parameters, const MuonSettings& settings, const FlatRanges& ranges);
  // Divides the parameters among ranks: matrices so that each rank has about as much to compute,
  // and of the rest to each rank what is in its share.
  static std::vector<FlatRanges> divide(const Parameters& parameters,
                                        std::span<const FlatRange> shares);
  void apply(const FlatUpdate& update);
  std::vector<StateWindow> state();  // muon.m, adam.m, adam.v

 private:
  // A weight that is a matrix.
  struct Window {
    size_t parameter;
    int64_t offset, rows, cols;
    int64_t state;  // in m_
    double decay;
    int64_t size() const { return rows * cols; }
  };
  void move(const Window& window, const FlatUpdate& update);

  // The matrices that follow Muon, and what of the flat buffer follows Adam, of all ranks.
  struct Parts {
    FlatRanges matrices, rest;
    std::vector<size_t> parameters;  // of the matrices
  };
  static Parts parts_of(const Parameters& parameters);

  MuonSettings settings_;
  Parts parts_;
  FlatRanges matrices_;  // those of windows_
  std::vector<Window> windows_;
  Buffer<real> m_;
  Adam adam_;
};

// Five steps of the iteration on a row-major matrix, which is replaced by the result.
void orthogonalise(std::span<real> matrix, int64_t rows, int64_t cols);

}  // namespace calque
