#pragma once
// The graph that a tape has recorded: a node for each op, with its inputs, its shape and its times.
// It outlives the backward pass, and keeps no numbers. Without a trace, the cost per op is a test
// of a pointer.
//
//   Trace trace;
//   Tape tape({}, Tape::Check::none, &trace);
//   backward(mean(square(matmul(x, w) - y)));
//   trace.nodes();                        // matmul, subtract, square, mean

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "core/tensor.h"

namespace calque {

class Trace {
 public:
  // A tensor is known by its gradient (Gradient::identity()), which lives as long as the tape that
  // recorded an op with it; nullptr for a constant.
  struct Node {
    struct Input {
      Shape shape;
      const void* gradient;
    };
    const char* op;
    Shape shape;
    const void* gradient;
    std::vector<Input> inputs;
    double forward = 0, backward = 0;  // seconds; 0 if the op has not run backward
  };

  const std::vector<Node>& nodes() const { return nodes_; }

  // Begins the time of the next op, which otherwise begins at the end of the op before.
  void begin() { mark_ = Clock::now(); }

  // For the tape.
  void inputs(std::span<const Tensor* const> inputs);
  void forward(const char* op, const Shape& shape, const Gradient& dy);
  void backward(size_t node);

 private:
  using Clock = std::chrono::steady_clock;
  double seconds() const { return std::chrono::duration<double>(Clock::now() - mark_).count(); }

  Clock::time_point mark_ = Clock::now();
  std::vector<Node::Input> inputs_;  // of the op that is recorded next
  std::vector<Node> nodes_;
};

}  // namespace calque
