#include "core/tensor.h"

#include <algorithm>
#include <utility>

#include "core/flat_gradient.h"
#include "core/simd/vector.h"
#include "core/threads/parallel.h"

namespace calque {
namespace {

constexpr int64_t copy_chunk = 65536;

void copy(const real* from, real* to, int64_t size) {
  parallel_for(size, copy_chunk,
               [&](int64_t b, int64_t e) { std::copy(from + b, from + e, to + b); });
}

void fill(real* to, int64_t size, real value) {
  parallel_for(size, copy_chunk, [&](int64_t b, int64_t e) { std::fill(to + b, to + e, value); });
}

void add(const real* from, real* to, int64_t size) {
  parallel_for(size, copy_chunk, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) to[i] += from[i];
  });
}

}  // namespace

Values::Values(int64_t size) : storage_(std::make_shared<Storage>()) {
  storage_->own = Buffer<real>(size);
  storage_->data = storage_->own.data();
  storage_->size = size;
}

Gradient Gradient::of_size(int64_t size, uint64_t tape) {
  auto state = std::make_shared<State>();
  state->size = size;
  state->tape = tape;
  return Gradient(std::move(state));
}

Gradient Gradient::of_parameter(int64_t size, int64_t number) {
  Gradient gradient = of_size(size, 0);
  gradient.state_->parameter = number;
  return gradient;
}

Sink Gradient::open() const {
  if (FlatGradient* const flat = FlatGradient::of(*this)) return flat->open(state_->parameter);
  Buffer<real>& numbers = state_->numbers;
  if (numbers) return {numbers.data(), true};
  numbers = Buffer<real>(round_up(state_->size, cache_line));
  std::fill(numbers.data() + state_->size, numbers.data() + numbers.size(), real(0));
  return {numbers.data(), false};
}

real* Gradient::open_cleared() const {
  const Sink sink = open();
  if (!sink.add) fill(sink.data, state_->size, 0);
  return sink.data;
}

void Gradient::accept(Gradient& other) const {
  Buffer<real>& from = other.state_->numbers;
  if (!touched() && !FlatGradient::of(*this)) {
    state_->numbers = std::move(from);
    return;
  }
  const Sink sink = open();
  (sink.add ? add : copy)(from.data(), sink.data, state_->size);
}

std::span<const real> Gradient::span() const {
  if (!state_) return {};
  require(!state_->discarded,
          "gradient: the gradient of an op's result is freed by backward(); only leaves, made by "
          "variable(), keep theirs");
  if (!touched()) open_cleared();
  return {state_->numbers.data(), static_cast<size_t>(state_->size)};
}

void Gradient::clear() const { state_->numbers = {}; }

void Gradient::refuse() const {
  clear();
  state_->wanted = false;
}

void Gradient::discard() const {
  clear();
  state_->discarded = true;
}

Tensor::Tensor(const Shape& shape) : shape_(shape), values_(shape.elements()) {}

Tensor::Tensor(const Shape& shape, Values values, Gradient gradient)
    : shape_(shape), values_(std::move(values)), gradient_(std::move(gradient)) {
  require(values_.size() == shape.elements(), "Tensor: shape {} for {} values", shape,
          values_.size());
}

Tensor Tensor::full(const Shape& shape, real value) {
  Tensor x(shape);
  fill(x.data(), x.size(), value);
  return x;
}

Tensor Tensor::of(const Shape& shape, std::span<const real> values) {
  require(shape.elements() == static_cast<int64_t>(values.size()),
          "Tensor::of: shape {} for {} values", shape, values.size());
  Tensor x(shape);
  copy(values.data(), x.data(), x.size());
  return x;
}

real Tensor::item() const {
  require(*this && size() == 1, "item: the tensor is {}, not a single number", shape_);
  return data()[0];
}

Tensor Tensor::reshaped(const Shape& shape) const {
  require(shape.elements() == size(), "reshaped: {} does not fit {}", shape_, shape);
  return Tensor(shape, values_, gradient_);
}

Buffer<real> zeros(int64_t size) {
  Buffer<real> buffer(size);
  fill(buffer.data(), size, 0);
  return buffer;
}

Tensor variable(const Tensor& x) {
  return Tensor(x.shape(), x.values(), Gradient::of_size(x.size(), 0));
}

}  // namespace calque
