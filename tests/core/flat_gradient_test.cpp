// Gradients of parameters that go to a buffer of the thread's own.
#include "core/flat_gradient.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "core/ops.h"
#include "core/tape.h"

using namespace calque;

namespace {

struct Model {
  Parameters parameters;
  Tensor a, b, unused;
  Model()
      : a(parameters.add("a", {3, 5}, Role::weight, uniform(1))),
        b(parameters.add("b", {5}, Role::bias, uniform(1))),
        unused(parameters.add("unused", {7}, Role::bias, uniform(1))) {
    parameters.allocate();
    parameters.initialise(1);
  }

  // The gradient of `a` has two contributions, and that of `b` is handed over from another tensor.
  Tensor loss(const Tensor& x) const {
    return sum(square(matmul(x, a) + b)) + sum(square(a)) + sum(b);
  }

  std::vector<real> flat_gradient(const Tensor& x, int64_t size) const {
    FlatGradient gradient(parameters, size);
    {
      const FlatGradient::Use use(gradient);
      const Tape tape;
      backward(loss(x));
    }
    const Buffer<real> numbers = std::move(gradient).numbers();
    return {numbers.data(), numbers.data() + numbers.size()};
  }
};

Tensor input(real first) { return Tensor::of({2, 3}, {first, -2, 3, 0.5, 1, -1}); }

}  // namespace

TEST_CASE("the gradients of a flat buffer have the bits of those in the parameters") {
  const Model model;
  const int64_t size = model.parameters.flat_size() + 32;
  const std::vector<real> flat = model.flat_gradient(input(1), size);
  for (const auto& entry : model.parameters.entries()) {
    CHECK(!entry.tensor.gradient().touched());
  }
  {
    const Tape tape;
    backward(model.loss(input(1)));
  }
  std::vector<real> expected(static_cast<size_t>(size));  // zeros in gaps, and where nothing came
  for (const auto& entry : model.parameters.entries()) {
    const auto gradient = entry.tensor.gradient().span();
    std::ranges::copy(gradient, expected.begin() + entry.offset);
  }
  CHECK(flat == expected);
}

TEST_CASE("a leaf that is not a parameter of the model keeps its own gradient") {
  const Model model, other;
  const Tensor x = variable(input(1));
  FlatGradient gradient(model.parameters, model.parameters.flat_size());
  const FlatGradient::Use use(gradient);
  const Tape tape;
  backward(model.loss(x) + other.loss(x));
  CHECK(x.gradient().touched());
  CHECK(other.a.gradient().touched());
  CHECK(!model.a.gradient().touched());
}

TEST_CASE("threads run backward through one model, each with its own gradient") {
  const Model model;
  const int64_t size = model.parameters.flat_size();
  std::vector<std::vector<real>> alone, together(4);
  for (int i = 0; i < 4; ++i) alone.push_back(model.flat_gradient(input(real(i)), size));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 50; ++round) {
        together[static_cast<size_t>(i)] = model.flat_gradient(input(real(i)), size);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(alone == together);
}
