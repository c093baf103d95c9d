#pragma once
// Reverse-mode autograd. While a Tape is alive, ops record on it the closures that run them
// backward, in the order in which they ran; backward() calls them in reverse, which is already a
// topological order, and lets go of each one's memory as it goes. Tensors own numbers, the tape
// owns closures, so no cycle can form. With no tape alive nothing is recorded or kept, and nothing
// is dropped out.
//
//   Tape tape;
//   Tensor loss = mean(square(matmul(x, w) - y));
//   backward(loss);                       // w.gradient() now holds d loss / d w
//
// A tape belongs to the thread that made it, lives for one step, and is run backward once. Leaves
// have their gradients afterwards, the results of ops no longer. What throws on the way, for want
// of memory or because a tape that checks finds NaN, leaves them incomplete: clear them then.

#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "core/tensor.h"

namespace calque {

// An op's output or its gradient is not finite, found by a tape that checks.
class NotFinite : public Error {
  using Error::Error;
};

class Tape {
 public:
  // What the random streams of the ops depend on, beside the number of the op on the tape.
  struct Randomness {
    uint64_t seed = 0;
    uint32_t step = 0;
    uint32_t part = 0;
  };
  enum class Check { none, finite };  // finite: NotFinite names the first op that gives NaN or inf

  Tape() : Tape(Randomness{}) {}
  explicit Tape(const Randomness& randomness, Check check = Check::none);
  ~Tape();
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  // The innermost tape alive on this thread, unless a NoGradient scope hides it.
  static Tape* current();

  using Backward = std::function<void(Gradient& dy)>;
  int64_t recorded() const { return static_cast<int64_t>(steps_.size()); }

 private:
  friend bool recording(std::initializer_list<const Tensor*> inputs);
  friend Tensor attach(const char* op, const Tensor& y, int64_t numbers, Backward closure);
  friend Stream next_random_stream();
  friend class NoGradient;
  friend void backward(const Tensor& y, const Tensor& seed);
  struct Step {
    const char* op;
    int64_t numbers;  // of inputs and output together
    Gradient dy;
    Backward closure;
  };
  void run();
  void check_values(const char* op, const char* what, std::span<const real> values) const;

  Randomness randomness_;
  Check check_;
  uint64_t id_;
  uint32_t streams_ = 0;
  bool ended_ = false;
  Tape* outer_;
  std::vector<Step> steps_;
};

// Nothing is recorded while one is alive, as if there were no tape. It ends before the tapes that
// it hides.
class NoGradient {
 public:
  NoGradient();
  ~NoGradient();
  NoGradient(const NoGradient&) = delete;
  NoGradient& operator=(const NoGradient&) = delete;

 private:
  Tape* hidden_;
};

// Runs the current tape backward from y. Without a seed (d loss / d y), y must be a single number;
// `scale` then stands for the seed, as in backward(sum_of_losses, 1.0 / tokens).
void backward(const Tensor& y, real scale = 1);
void backward(const Tensor& y, const Tensor& seed);

// For writers of ops ------------------------------------------------------------------------------

// Whether an op over these inputs is to be recorded: a tape is alive that has not been run backward
// yet, and one of them wants a gradient. Absent tensors may be among them. Throws when an input
// belongs to a tape that has ended.
bool recording(std::initializer_list<const Tensor*> inputs);

// Puts an op on the current tape: the result is y with a gradient of its own. Its inputs and y have
// so many numbers.
Tensor attach(const char* op, const Tensor& y, int64_t numbers, Tape::Backward closure);

// The last line of an op: y, recorded if it is to be. The closure is only built into a recorded
// step when needed; it contributes to the gradients of the inputs that want one:
//   return record("relu", y, {&x}, [y = y.values(), dx = x.gradient()](Gradient& dy) { ... });
template <class Closure>
Tensor record(const char* op, const Tensor& y, std::initializer_list<const Tensor*> inputs,
              Closure&& closure) {
  if (!recording(inputs)) return y;
  int64_t numbers = y.size();
  for (const Tensor* input : inputs) numbers += *input ? input->size() : 0;
  return attach(op, y, numbers, std::forward<Closure>(closure));
}

// The random stream of the next random op on the current tape.
Stream next_random_stream();

}  // namespace calque
