#pragma once
// Stochastic gradient descent with momentum. With the gradient g and the velocity u:
//
//   u = momentum u + g
//   w = w - learning_rate u                      classical (Polyak, 1964)
//   w = w - learning_rate (g + momentum u)       Nesterov's, as in Sutskever et al., 2013
//
// Without momentum there is no velocity, and no memory for it.

#include "optim/flat.h"

namespace calque {

enum class Momentum { classical, nesterov };

struct SgdSettings {
  double momentum = 0;
  Momentum kind = Momentum::classical;
  WeightDecay decay = {};
};

class Sgd {
 public:
  Sgd(const Parameters& parameters, const SgdSettings& settings, FlatRanges ranges);
  void apply(const FlatUpdate& update);
  std::vector<StateWindow> state();  // momentum, unless it is 0

 private:
  SgdSettings settings_;
  FlatRanges ranges_;
  std::vector<FlatSlice> slices_;
  Buffer<real> velocity_;
};

}  // namespace calque
