#pragma once
// A Tensor is a cheap handle to a shape, its values and, if wanted, its gradient. The two halves
// are separate objects, so that the backward closure of an op can keep one without the other: that
// is the whole memory bill of an op. Copying a Tensor copies the handle, never the numbers.
//
//   Tensor x = Tensor::of({2, 3}, {1, 2, 3, 4, 5, 6});
//   Tensor w = variable(Tensor::zeros({3, 4}));       // a leaf: backward() fills w.gradient()
//   Tensor y = matmul(x, w);                          // [2, 4]

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>

#include "core/memory.h"
#include "core/real.h"
#include "core/shape.h"

namespace calque {

// A block of numbers: either its own memory from the pool, or a window into memory that `owner`
// keeps alive. A parameter's window is pointed at its memory after it was handed out.
struct Block {
  real* data = nullptr;
  int64_t size = 0;
  Buffer<real> own;
  std::shared_ptr<const void> owner;
};

// Shared ownership of a block of values.
class Values {
 public:
  Values() = default;
  explicit Values(int64_t size);  // new memory, not initialised
  explicit Values(std::shared_ptr<Block> block) : block_(std::move(block)) {}
  real* data() const { return block_ ? block_->data : nullptr; }
  int64_t size() const { return block_ ? block_->size : 0; }
  std::span<real> span() const { return {data(), static_cast<size_t>(size())}; }
  explicit operator bool() const { return block_ != nullptr; }
  const std::shared_ptr<Block>& block() const { return block_; }

 private:
  std::shared_ptr<Block> block_;
};

// What a backward closure keeps of values that it will read: the values themselves or, of an op
// that can make its result again, how. Copies share what was made again, so that it is made once.
class Kept {
 public:
  explicit Kept(Values values) : values_(std::move(values)) {}
  // Not these values, which stay in memory for as long as somebody holds them, but `again`, which
  // writes them where it is told.
  Kept(const Values& values, std::function<void(real*)> again);

  // To be called in the backward pass: the values, made again if nobody holds them any more.
  const real* data() const;

 private:
  friend class Tensor;
  struct Recipe;
  explicit Kept(std::shared_ptr<Recipe> recipe) : recipe_(std::move(recipe)) {}
  Values values_;
  std::shared_ptr<Recipe> recipe_;
};

// Where a contribution to a gradient goes, and whether it is the first (write) or not (add).
struct Sink {
  real* data;
  bool add;
  real beta() const { return add ? real(1) : real(0); }  // as gemm calls it
};

// Shared ownership of the gradient of one tensor; empty when no gradient is wanted. Memory is taken
// when the first contribution arrives, of whole vectors: behind the gradient's end it is zero.
class Gradient {
 public:
  Gradient() = default;
  explicit operator bool() const { return state_ != nullptr; }
  int64_t size() const { return state_->size; }

  // To contribute: open it once for each contribution, and write or add every element.
  Sink open() const;
  // The same, with the memory cleared first when nothing was there: to add to some elements only.
  real* open_cleared() const;
  // Contributes all of `other`, which must not be used afterwards: the first contribution takes
  // over its memory instead of copying it.
  void accept(Gradient& other) const;

  // Whether anything has been contributed since the last clear().
  bool touched() const { return state_ && state_->numbers; }
  const real* data() const { return state_->numbers.data(); }
  // The same, for a closure that is done with its dy and computes in its place.
  real* scratch() const { return state_->numbers.data(); }
  // The gradient as numbers: zeros if nothing has been contributed. After backward() only leaves
  // still have theirs; asking for another's is a Misuse.
  std::span<const real> span() const;
  // Forgets what was contributed and gives its memory back.
  void clear() const;
  // For the tape: the op's closure has run, and its gradient's memory goes.
  void let_go() const;

  // The tape that the tensor was computed on; 0 for a leaf.
  uint64_t tape() const { return state_ ? state_->tape : 0; }

  static Gradient of_size(int64_t size, uint64_t tape);

 private:
  struct State {
    int64_t size = 0;
    bool gone = false;  // backward() has been past here
    uint64_t tape = 0;
    Buffer<real> numbers;
  };
  explicit Gradient(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

class Tensor {
 public:
  Tensor() = default;  // no values: "not there", as for an absent bias; its shape is [0]
  explicit Tensor(const Shape& shape);  // not initialised
  Tensor(const Shape& shape, Values values, Gradient gradient = {});

  static Tensor zeros(const Shape& shape) { return full(shape, 0); }
  static Tensor full(const Shape& shape, real value);
  static Tensor of(const Shape& shape, std::span<const real> values);
  static Tensor of(const Shape& shape, std::initializer_list<real> values) {
    return of(shape, std::span(values.begin(), values.size()));
  }

  const Shape& shape() const { return shape_; }
  int64_t rows() const { return shape_.rows(); }
  int64_t cols() const { return shape_.cols(); }
  int64_t size() const { return shape_.elements(); }
  explicit operator bool() const { return static_cast<bool>(values_); }

  real* data() const { return values_.data(); }
  std::span<real> span() const { return values_.span(); }
  real item() const;  // the value of a tensor with one element
  const Values& values() const { return values_; }
  const Gradient& gradient() const { return gradient_; }
  // What a closure captures that reads the values backward: `x = x.kept()`.
  Kept kept() const;
  // The same tensor, whose values closures keep as `recipe`, as long as there is another copy of
  // it.
  Tensor kept_as(const Kept& recipe) const;

  // The same numbers and the same gradient under another shape; nothing is copied or recorded.
  Tensor reshaped(const Shape& shape) const;
  // The same numbers, cut off from the tape: no gradient flows through it.
  Tensor detached() const { return Tensor(shape_, values_); }

 private:
  Shape shape_ = {0};
  Values values_;
  Gradient gradient_;
  std::weak_ptr<Kept::Recipe> recipe_;
};

// New memory of zeros, first touched by the threads that will work on it.
Buffer<real> zeros(int64_t size);

// A leaf that wants a gradient, with the values of x.
Tensor variable(const Tensor& x);

}  // namespace calque
