#pragma once
// Adam (Kingma and Ba, "Adam: a method for stochastic optimization", 2015, algorithm 1) and, with
// decoupled decay, AdamW. For the gradient g of step t:
//
//   m = beta1 m + (1 - beta1) g          m^ = m / (1 - beta1^t)
//   v = beta2 v + (1 - beta2) g^2        v^ = v / (1 - beta2^t)
//   w = w - learning_rate m^ / (sqrt(v^) + epsilon)
//
// Epsilon is added to the corrected sqrt(v^), as in PyTorch. So in step 1 a weight moves by the
// learning rate wherever |g| is much larger than epsilon, for any beta2.

#include "optim/flat.h"

namespace calque {

struct AdamSettings {
  // From "Attention Is All You Need", section 5.3. Adam's paper has beta2 0.999 and epsilon 1e-8.
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-9;
  WeightDecay decay = {};
};

class Adam {
 public:
  Adam(const Parameters& parameters, const AdamSettings& settings, FlatRanges ranges);
  void apply(const FlatUpdate& update);
  std::vector<StateWindow> state();  // adam.m, adam.v

 private:
  AdamSettings settings_;
  FlatRanges ranges_;
  std::vector<FlatSlice> slices_;
  Buffer<real> m_, v_;
};

}  // namespace calque
