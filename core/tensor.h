#pragma once
// A Tensor is a cheap handle to a shape, its values and, if required, its gradient. Values and
// gradient are separate objects, so that the backward closure of an op can keep one without the
// other. Copying a Tensor copies the handle, never the numbers.
//
//   Tensor x = Tensor::of({2, 3}, {1, 2, 3, 4, 5, 6});
//   Tensor w = variable(Tensor::zeros({3, 4}));       // a leaf: backward() fills w.gradient()
//   Tensor y = matmul(x, w);                          // [2, 4]

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>

#include "core/memory/pool.h"
#include "core/real.h"
#include "core/shape.h"

namespace calque {

class CompactMatrix;
class Int8Matrix;

// The memory of values: from the pool, or a window into memory that `owner` keeps alive. The window
// of a parameter gets its memory later, in Parameters::allocate().
struct Storage {
  real* data = nullptr;
  int64_t size = 0;
  Buffer<real> own;
  std::shared_ptr<const void> owner;
  std::shared_ptr<const Int8Matrix> rounded;  // for products (core/products/int8/matrix.h)
  std::shared_ptr<CompactMatrix> compact;     // instead of `data` (core/products/compact/matrix.h)
};

// Shared ownership of values.
class Values {
 public:
  Values() = default;
  explicit Values(int64_t size);  // new memory, not initialised
  explicit Values(std::shared_ptr<Storage> storage) : storage_(std::move(storage)) {}
  real* data() const { return storage_ ? storage_->data : nullptr; }
  int64_t size() const { return storage_ ? storage_->size : 0; }
  std::span<real> span() const { return {data(), static_cast<size_t>(size())}; }
  explicit operator bool() const { return storage_ != nullptr; }

  // Products with these values as their right side use the rounded matrix. Nothing keeps it equal
  // to the values when they change.
  void round_for_products(std::shared_ptr<const Int8Matrix> rounded) const {
    storage_->rounded = std::move(rounded);
  }
  const Int8Matrix* rounded() const { return storage_ ? storage_->rounded.get() : nullptr; }

  // The matrix that holds these values if they are compact; data() is then nullptr. Only products,
  // with these values as their right side, and embedding() read it.
  CompactMatrix* compact() const { return storage_ ? storage_->compact.get() : nullptr; }

 private:
  std::shared_ptr<Storage> storage_;
};

// Where a contribution to a gradient is written (the first contribution) or added (all others).
struct Sink {
  real* data;
  bool add;
  real beta() const { return add ? real(1) : real(0); }  // the factor of c in a BLAS call
};

// Shared ownership of the gradient of one tensor; empty if no gradient is required. Memory is
// allocated with the first contribution. It consists of whole vectors, padded with zeros. On a
// thread that uses a FlatGradient (core/flat_gradient.h), contributions to parameters go there.
class Gradient {
 public:
  Gradient() = default;
  explicit operator bool() const { return state_ && state_->wanted; }
  int64_t size() const { return state_->size; }
  // After this call every handle to this gradient converts to false: ops do not contribute to it.
  void refuse() const;

  // Call it once for each contribution, then write every element or, if Sink::add, add to it.
  Sink open() const;
  // open(), or an empty Sink if this handle converts to false.
  Sink open_if_wanted() const { return *this ? open() : Sink{}; }
  // Like open(), but the first call clears the memory: for adding to some elements only.
  real* open_cleared() const;
  // Contributes all of `other`, which must not be used afterwards: this gradient may take over its
  // memory.
  void accept(Gradient& other) const;

  // Whether there has been a contribution since the last clear().
  bool touched() const { return state_ && state_->numbers; }
  const real* data() const { return state_->numbers.data(); }
  // Like data(), for a closure that overwrites its dy.
  real* scratch() const { return state_->numbers.data(); }
  // The numbers of the gradient: zeros without a contribution. After backward() only leaves have
  // them; for other tensors this throws a Misuse.
  std::span<const real> span() const;
  // Removes all contributions and frees the memory.
  void clear() const;
  // For the tape, after the op's closure has run.
  void discard() const;

  // The tape that the tensor was computed on; 0 for a leaf.
  uint64_t tape() const { return state_ ? state_->tape : 0; }
  // The number of the parameter whose gradient this is, or -1.
  int64_t parameter() const { return state_ ? state_->parameter : -1; }
  bool is(const Gradient& other) const { return state_ == other.state_; }
  // Distinguishes gradients that exist at the same time; nullptr for an empty one.
  const void* identity() const { return state_.get(); }

  static Gradient of_size(int64_t size, uint64_t tape);
  static Gradient of_parameter(int64_t size, int64_t number);

 private:
  struct State {
    int64_t size = 0;
    bool wanted = true, discarded = false;
    uint64_t tape = 0;
    int64_t parameter = -1;
    Buffer<real> numbers;
  };
  explicit Gradient(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

class Tensor {
 public:
  Tensor() = default;                   // absent, such as a missing bias; its shape is [0]
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

  // The same values and gradient under another shape; nothing is copied or recorded.
  Tensor reshaped(const Shape& shape) const;
  // The same values without the gradient: nothing flows back through it.
  Tensor detached() const { return Tensor(shape_, values_); }

 private:
  Shape shape_ = {0};
  Values values_;
  Gradient gradient_;
};

// Memory filled with zeros, first touched by the threads that will work on it.
Buffer<real> zeros(int64_t size);

// A leaf with the values of x, which receives a gradient.
Tensor variable(const Tensor& x);

}  // namespace calque
