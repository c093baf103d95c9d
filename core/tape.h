#pragma once
// Reverse-mode autograd. While a Tape is alive, each op records a closure that computes its
// backward pass. backward() calls the closures in reverse order, which is a topological order, and
// frees the memory of each after its call. Tensors own numbers and the tape owns closures, so no
// cycle can form. Without a tape nothing is recorded, and dropout is off.
//
//   Tape tape;
//   Tensor loss = mean(square(matmul(x, w) - y));
//   backward(loss);                       // w.gradient() now holds d loss / d w
//
// A tape belongs to the thread that created it, lives for one step, and runs backward once. Only
// leaves have gradients afterwards. An exception in backward() leaves these incomplete; clear them.

#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "core/tensor.h"

namespace calque {

// Thrown by Tape::Check::finite: an op's output or its gradient is not finite.
class NotFinite : public Error {
  using Error::Error;
};

class Tape;
class Trace;

// What this thread records on: the tape of the innermost of these scopes, or nothing. Scopes on the
// heap need not end in order, but on the thread that created them.
class Recording {
 public:
  explicit Recording(Tape* tape);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  static Tape* current();

 private:
  Tape* tape_;
  Recording* outer_;
};

class Tape {
 public:
  // The random stream of an op depends on this and on the op's number among the tape's random ops.
  struct Randomness {
    uint64_t seed = 0;
    uint32_t step = 0;
    uint32_t part = 0;
    real dropout = 1;  // multiplies the probability of every dropout
  };
  enum class Check { none, finite };  // finite: NotFinite names the first op with NaN or infinity

  Tape() : Tape(Randomness{}) {}
  // If there is a trace (core/trace.h), it receives the graph and must outlive the tape.
  explicit Tape(const Randomness& randomness, Check check = Check::none, Trace* trace = nullptr);
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  // The innermost tape alive on this thread, unless a NoGradient scope hides it.
  static Tape* current() { return Recording::current(); }

  // Adds the loss of a module, which the caller of the model does not see, to the loss that
  // backward(loss, scale) starts from. Does nothing if no tape records the term.
  static void add_loss(const Tensor& term);
  double added_loss() const;  // the sum of these terms

  real dropout_share() const { return randomness_.dropout; }

  using Backward = std::function<void(Gradient& dy)>;
  int64_t recorded() const { return static_cast<int64_t>(steps_.size()); }

 private:
  friend bool recording(std::span<const Tensor* const> inputs);
  friend Tensor attach(const char* op, const Tensor& y, int64_t numbers, Backward closure);
  friend Stream next_random_stream();
  friend void backward(const Tensor& y, const Tensor& seed);
  struct Step {
    const char* op;
    int64_t numbers;  // of inputs and output together
    Gradient dy;
    Backward closure;
  };
  void start(const Tensor& y, const Tensor& seed) const;
  void run();
  void check_values(const char* op, const char* what, std::span<const real> values) const;

  Randomness randomness_;
  Check check_;
  uint64_t id_;
  uint32_t streams_ = 0;
  bool ended_ = false;
  Trace* trace_;
  std::vector<Step> steps_;
  std::vector<Tensor> added_;
  Recording scope_;
};

// Hides the tapes of this thread while it is alive.
class NoGradient {
 public:
  NoGradient() = default;

 private:
  Recording nothing_{nullptr};
};

// Runs the current tape backward from y. The seed is d loss / d y; for a single number y it may be
// given as `scale`, as in backward(sum_of_losses, 1.0 / tokens).
void backward(const Tensor& y, real scale = 1);
void backward(const Tensor& y, const Tensor& seed);

// The rest of this file is for implementations of ops.

// Whether an op over these inputs must be recorded: there is a tape that has not run backward, and
// an input requires a gradient. Inputs may be absent. If there is a tape, throws a Misuse for an
// input that belongs to another tape or to one that has run backward.
bool recording(std::span<const Tensor* const> inputs);
inline bool recording(std::initializer_list<const Tensor*> inputs) {
  return recording(std::span(inputs.begin(), inputs.size()));
}

// Puts an op on the current tape and returns y with a gradient. `numbers` counts the numbers of the
// inputs and of y, for profiles.
Tensor attach(const char* op, const Tensor& y, int64_t numbers, Tape::Backward closure);

// The last line of an op: returns y, recorded if necessary. The closure contributes to the
// gradients of the inputs that require one:
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
