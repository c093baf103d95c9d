#pragma once
// What the training loop holds: one of the update rules, the clipping, and the count of steps.
//
//   Optimizer optimizer(parameters, AdamSettings{}, /*clip_norm=*/1);
//   ... parameters.clear_gradients(); forward and backward, once or several times (accumulation)
//   ... const UpdateReport report = optimizer.update(parameters, learning_rate(schedule, step), 1 /
//   tokens);
//
// An update is two passes over all parameters: one reads the gradients for their norm, one
// updates. The clipping factor is applied in the second, as the gradients are read; they stay as
// they were.

#include <string_view>
#include <variant>

#include "optim/adafactor.h"
#include "optim/adam.h"
#include "optim/sgd.h"

namespace calque {

using OptimizerSettings = std::variant<AdamSettings, SgdSettings, AdafactorSettings>;

struct UpdateReport {
  double gradient_norm;  // of all gradients, scaled but not yet clipped
  double clip_factor;    // 1: not clipped
  bool finite;           // false: nothing has been changed
};

class Optimizer {
 public:
  // A clip_norm of 0 means no clipping.
  Optimizer(const Parameters& parameters, const OptimizerSettings& settings, double clip_norm = 0);

  // One step along the gradients times `gradient_scale`: losses are sums, so this is where the
  // whole step is divided by its number of tokens. Parameters that received no gradient count as
  // having gradient 0. When the norm is not finite, or so large that Adam's squares would not be,
  // then parameters, state and number of steps stay untouched and the report says so.
  UpdateReport update(Parameters& parameters, double learning_rate, double gradient_scale = 1);

  int64_t steps() const { return steps_; }  // updates made

  // Everything needed to go on in the same bits: these windows, and the number of steps.
  std::vector<StateWindow> state();
  void resume_at(int64_t steps);

 private:
  using Rule = std::variant<Adam, Sgd, Adafactor>;
  Rule rule_;
  double clip_norm_;
  int64_t steps_ = 0;
  int64_t flat_size_;
};

}  // namespace calque
