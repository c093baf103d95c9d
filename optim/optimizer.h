#pragma once
// An update rule with clipping and the count of steps, for the training loop:
//
//   Optimizer optimizer(parameters, AdamSettings{}, /*clip_norm=*/1);
//   parameters.clear_gradients();
//   ...                                // forward and backward, several times with accumulation
//   optimizer.update(parameters, learning_rate(schedule, step), 1.0 / tokens);
//
// An update by Adam or SGD is two passes over all parameters: the first computes the norm of the
// gradients, the second clips them as it reads them and updates the weights. The gradients do not
// change.

#include <span>
#include <variant>

#include "optim/adafactor.h"
#include "optim/adam.h"
#include "optim/muon.h"
#include "optim/sgd.h"

namespace calque {

using OptimizerSettings = std::variant<AdamSettings, SgdSettings, AdafactorSettings, MuonSettings>;

struct UpdateReport {
  double gradient_norm;  // of all gradients, scaled but not yet clipped
  double clip_factor;    // 1: not clipped
  bool finite;           // false: nothing has been changed
};

class Optimizer {
 public:
  // A clip_norm of 0 means no clipping.
  Optimizer(const Parameters& parameters, const OptimizerSettings& settings, double clip_norm = 0);
  // Updates only the weights in these ranges, which divide() gives, and keeps state for them alone.
  Optimizer(const Parameters& parameters, const OptimizerSettings& settings, double clip_norm,
            const FlatRanges& ranges);

  // What each rank updates, where the ranks share the flat buffer equally. A rule that works
  // element by element updates the rank's share. Adafactor updates everything on each rank.
  static std::vector<FlatRanges> divide(const Parameters& parameters,
                                        const OptimizerSettings& settings,
                                        std::span<const FlatRange> shares);
  static bool works_by_element(const OptimizerSettings& settings);

  // One step with the gradients times `gradient_scale`, 1 / tokens for losses that are sums. A
  // parameter without a gradient has gradient 0. If the norm is not finite, or after clipping so
  // large that Adam's squares would overflow, nothing changes and UpdateReport::finite is false.
  UpdateReport update(Parameters& parameters, double learning_rate, double gradient_scale = 1);

  // The same with a gradient in a flat buffer with the layout of the parameters. `norm` is the norm
  // of the whole gradient before scaling; only the optimizer's ranges of the buffer are read.
  UpdateReport update(Parameters& parameters, std::span<const real> gradient, double norm,
                      double learning_rate, double gradient_scale);

  int64_t steps() const { return steps_; }  // the number of updates so far

  // The state. Together with the number of steps, it resumes a run bit for bit.
  std::vector<StateWindow> state();
  void resume_at(int64_t steps);

 private:
  using Rule = std::variant<Adam, Sgd, Adafactor, Muon>;
  static Rule rule_of(const Parameters& parameters, const OptimizerSettings& settings,
                      const FlatRanges& ranges);
  UpdateReport apply(Parameters& parameters, std::span<const real* const> gradients, double norm,
                     double learning_rate, double gradient_scale);
  Rule rule_;
  double clip_norm_;
  int64_t steps_ = 0;
  int64_t flat_size_;
};

}  // namespace calque
