// The rules of autograd: what is recorded, added up, freed and refused.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/ops.h"
#include "core/trace.h"
#include "support/gradient_check.h"
#include "support/message_of.h"

using namespace calque;

namespace {

std::vector<real> numbers(std::span<const real> span) { return {span.begin(), span.end()}; }

}  // namespace

TEST_CASE("a tensor used several times gets the sum of its gradients") {
  const Tensor x = variable(Tensor::of({2}, {3, 5}));
  const Tape tape;
  backward(sum(x * x + x));
  CHECK(numbers(x.gradient().span()) == std::vector<real>{7, 11});  // 2 x + 1
}

TEST_CASE("a gradient that an op passes on unchanged adds to earlier contributions") {
  const Tensor x = variable(Tensor::of({2, 2}, {1, 2, 3, 4})), table = Tensor::zeros({2, 2});
  const Segments segments = Segments::of_lengths(std::vector<int32_t>{2});
  const Tape tape;
  const Tensor once = add_positions(x, table, segments), again = add_positions(x, table, segments);
  backward(sum(once * once) + sum(again * real(10)));
  CHECK(numbers(x.gradient().span()) == std::vector<real>{12, 14, 16, 18});  // 2 x + 10
}

TEST_CASE("gradients of several backward passes add up until they are cleared") {
  const Tensor x = variable(Tensor::of({2}, {1, 2}));
  for (int pass = 0; pass < 2; ++pass) {
    const Tape tape;
    backward(sum(x * real(3)));
  }
  CHECK(numbers(x.gradient().span()) == std::vector<real>{6, 6});
  x.gradient().clear();
  const Tape tape;
  backward(sum(x * real(3)));
  CHECK(numbers(x.gradient().span()) == std::vector<real>{3, 3});
}

TEST_CASE("each step has a graph of its own, with its own shapes") {
  const Tensor x = variable(Tensor::of({3}, {1, 2, 3}));
  for (int64_t length = 1; length <= 3; ++length) {
    x.gradient().clear();
    const Tape tape;
    backward(sum(square(slice_rows(x, 0, length))));
    for (int64_t i = 0; i < 3; ++i) {
      CHECK(x.gradient().span()[i] == (i < length ? 2 * x.span()[i] : real(0)));
    }
  }
}

TEST_CASE("a sum keeps neither of its operands for the backward pass") {
  const Tensor x = variable(Tensor::full({1000, 100}, 1));
  const Tape tape;
  const int64_t before = memory_statistics().used;
  Tensor y;
  {
    const Tensor a = slice_cols(x, 0, 50), b = slice_cols(x, 50, 100);
    y = a + b - a;
  }
  // Of four tensors of this size, only the last remains.
  CHECK(memory_statistics().used - before < 2 * y.size() * int64_t(sizeof(real)));
  backward(y, Tensor::full(y.shape(), 3));
  CHECK(x.gradient().span()[0] == 0);
  CHECK(x.gradient().span()[99] == 3);
}

TEST_CASE("functions of one element keep only their input or only their output") {
  const Tensor x = variable(Tensor::full({1000, 100}, 1));
  using Op = Tensor (*)(const Tensor&);
  for (const Op op : std::initializer_list<Op>{exp, sqrt, tanh, sigmoid, relu, log, square, gelu}) {
    const Tape tape;
    const int64_t before = memory_statistics().used;
    Tensor y = op(affine(x, 2, 0));
    y = affine(y, 3, 0);
    // The result, and one of the two tensors before it.
    CHECK(memory_statistics().used - before < 5 * x.size() * int64_t(sizeof(real)) / 2);
    backward(y, Tensor::full(y.shape(), 1));
    x.gradient().clear();
  }
}

TEST_CASE("nothing is recorded on a tape that has run backward") {
  const Tensor x = variable(Tensor::of({2}, {1, 2}));
  const Tape tape;
  backward(sum(square(x)));
  const int64_t used = memory_statistics().used;
  for (int i = 0; i < 10; ++i) CHECK_FALSE(square(x).gradient());
  CHECK(tape.recorded() == 0);
  CHECK(memory_statistics().used == used);
}

TEST_CASE("nothing is recorded without a tape or inside a no-gradient scope") {
  const Tensor x = variable(Tensor::of({2}, {1, 2}));
  CHECK_FALSE((x * x).gradient());
  const Tape tape;
  {
    const NoGradient off;
    CHECK_FALSE((x * x).gradient());
    CHECK(dropout(x, real(0.5)).data() == x.data());
  }
  CHECK(tape.recorded() == 0);
  CHECK((x * x).gradient());
  CHECK(tape.recorded() == 1);
}

TEST_CASE("no gradient flows through a detached tensor") {
  const Tensor x = variable(Tensor::of({1}, {3}));
  const Tape tape;
  backward(sum(x * (x * x).detached()));
  CHECK(x.gradient().span()[0] == 9);
}

TEST_CASE("an op on tensors without gradients is not recorded") {
  const Tape tape;
  const Tensor x = Tensor::of({2}, {1, 2});
  CHECK_FALSE(matmul(x.reshaped({1, 2}), x.reshaped({2, 1})).gradient());
  CHECK(tape.recorded() == 0);
}

TEST_CASE("the backward pass frees the memory of each op") {
  const Tensor x = variable(random_tensor({1000, 100}, 1));
  const int64_t before = memory_statistics().used;
  const Tape tape;
  Tensor y = x;
  for (int i = 0; i < 10; ++i) y = tanh(y);
  y = sum(y);
  const int64_t held = memory_statistics().used;
  CHECK(held > before + 9 * x.size() * int64_t(sizeof(real)));
  reset_peak_memory();
  backward(y);
  // In addition: the gradients of an op's output and input, and x's own.
  CHECK(memory_statistics().peak < held + 4 * x.size() * int64_t(sizeof(real)));
  CHECK(memory_statistics().used < before + 2 * x.size() * int64_t(sizeof(real)));
}

TEST_CASE("after two identical steps the pool asks the system for no more memory") {
  const Tensor w = variable(random_tensor({64, 64}, 1)), x = random_tensor({500, 64}, 2);
  const auto step = [&] {
    w.gradient().clear();
    const Tape tape;
    backward(mean(square(gelu(linear(dropout(x, real(0.1)), w)))));
  };
  step();
  step();
  const int64_t requests = memory_statistics().requests;
  for (int i = 0; i < 5; ++i) step();
  CHECK(memory_statistics().requests == requests);
}

TEST_CASE("after backward only leaves have gradients, and asking for others throws") {
  const Tensor x = variable(Tensor::of({2}, {1, 2}));
  const Tape tape;
  const Tensor h = affine(x, 2, 0), unused = affine(x, 3, 0);
  backward(sum(residual(h, Tensor::zeros({2}), 0)));
  CHECK(numbers(x.gradient().span()) == std::vector<real>{2, 2});
  for (const Tensor& result : {h, unused}) {
    CHECK(message_of([&] { result.gradient().span(); }).find("freed by backward()") !=
          std::string::npos);
  }
}

TEST_CASE("tapes on the heap may end in any order") {
  auto first = std::make_unique<Tape>();
  auto second = std::make_unique<Tape>();
  first.reset();
  CHECK(Tape::current() == second.get());
  second.reset();
  CHECK(Tape::current() == nullptr);
}

TEST_CASE("an absent tensor is refused, not read") {
  const Tensor x = Tensor::of({2}, {1, 2}), absent;
  CHECK(message_of([&] { x + absent; }) == "add: the second tensor is absent");
  CHECK(message_of([&] { absent* x; }) == "multiply: the first tensor is absent");
  CHECK(message_of([&] { mean(absent); }).find("no elements") != std::string::npos);
  CHECK_FALSE(message_of([&] { matmul(absent, absent); }).empty());
  CHECK(relu(absent).size() == 0);
}

TEST_CASE("the message of a Misuse has the op's name and the shapes") {
  const Tensor x = variable(Tensor::zeros({2, 3})), y = variable(Tensor::zeros({4, 5}));
  CHECK(message_of([&] { matmul(x, y); }) == "matmul: [2, 3] times [4, 5]");
  CHECK(message_of([&] { x + y; }) == "add: [4, 5] does not broadcast over [2, 3]");
  CHECK(message_of([&] { linear(x, y); }) == "linear: x is [2, 3] but w is [4, 5]");
  CHECK(message_of([&] { slice_rows(x, 2, 1); }) == "slice_rows: [2, 1) of [2, 3]");
  CHECK(message_of([&] { backward(x); }).find("[2, 3]") != std::string::npos);
  const Tape tape;
  CHECK(message_of([&] { backward(x + x); }) ==
        "backward: the tensor is [2, 3], not a single number; give a seed");
  CHECK(message_of([&] { backward(sum(x.detached())); }).find("not recorded") != std::string::npos);
}

TEST_CASE("a graph that has run backward, or whose tape has ended, cannot be used again") {
  const Tensor x = variable(Tensor::of({1}, {3}));
  Tensor left_over;
  {
    const Tape tape;
    left_over = x * x;
    const Tensor y = sum(left_over);
    backward(y);
    CHECK_THROWS_AS(backward(y), Misuse);
    CHECK_THROWS_AS(left_over * x, Misuse);
  }
  CHECK(left_over.item() == 9);  // its values can still be read
  const Tape tape;
  CHECK(message_of([&] { left_over* x; }).find("freed") != std::string::npos);
  CHECK((left_over.detached() * x).item() == 27);
}

TEST_CASE("a tape that checks names the first op whose output or gradient is not finite") {
  const Tensor x = variable(Tensor::of({2}, {1, -1}));
  {
    const Tape tape({}, Tape::Check::finite);
    CHECK(message_of([&] { exp(log(x)); }).find("(log)") != std::string::npos);
  }
  const Tensor zero = variable(Tensor::of({1}, {0}));
  const Tape tape({}, Tape::Check::finite);
  const Tensor root = sqrt(zero * real(1));  // its slope at 0 is infinite
  CHECK(message_of([&] { backward(sum(root)); }).find("(affine)") != std::string::npos);
}

TEST_CASE("dropout is the same for the same seed and step, and differs for another seed or step") {
  const Tensor x = Tensor::full({1000}, 1);
  const auto dropped = [&](uint64_t seed, uint32_t step) {
    const Tape tape({.seed = seed, .step = step, .part = 0});
    return numbers(dropout(x, real(0.3)).span());
  };
  CHECK(dropped(1, 1) == dropped(1, 1));
  CHECK(dropped(1, 1) != dropped(1, 2));
  CHECK(dropped(1, 1) != dropped(2, 1));
}

TEST_CASE("dropout drops the given share and keeps the mean") {
  const int64_t size = 1 << 20;
  const Tape tape({.seed = 3, .step = 0, .part = 0});
  const Tensor y = dropout(Tensor::full({size}, 1), real(0.3));
  const auto zeros = static_cast<double>(std::ranges::count(y.span(), real(0)));
  CHECK(zeros / size == doctest::Approx(0.3).epsilon(0.01));
  CHECK(double(sum(y).item()) / size == doctest::Approx(1).epsilon(0.01));
}

TEST_CASE("a tape may scale every dropout, down to none") {
  const int64_t size = 1 << 20;
  const auto dropped = [&](real share) {
    const Tape tape({.seed = 3, .step = 0, .part = 0, .dropout = share});
    const Tensor y = dropout(Tensor::full({size}, 1), real(0.4));
    return static_cast<double>(std::ranges::count(y.span(), real(0))) / size;
  };
  CHECK(dropped(real(0.5)) == doctest::Approx(0.2).epsilon(0.01));
  CHECK(dropped(0) == 0);
}

TEST_CASE("scopes that end out of order leave the innermost of the others current") {
  auto outer = std::make_unique<Tape>();
  auto hidden = std::make_unique<NoGradient>();
  const Tape inner;
  outer.reset();
  CHECK(Tape::current() == &inner);
  hidden.reset();
  CHECK(Tape::current() == &inner);
}

TEST_CASE("a tape that ends while it is hidden is not current afterwards") {
  auto tape = std::make_unique<Tape>();
  auto hidden = std::make_unique<NoGradient>();
  tape.reset();
  CHECK(Tape::current() == nullptr);
  hidden.reset();
  CHECK(Tape::current() == nullptr);
}

TEST_CASE("a trace has the ops of the tape in order, with their inputs") {
  const Tensor x = variable(Tensor::of({2}, {3, 5})), y = Tensor::of({2}, {1, 1});
  Trace trace;
  const Tape tape({}, Tape::Check::none, &trace);
  const Tensor loss = sum(concat_rows(std::vector{x * y, y}));
  exp(y);  // needs no gradient, so it is not recorded
  const auto& nodes = trace.nodes();
  REQUIRE(nodes.size() == 3);
  CHECK(nodes[0].inputs[0].gradient == x.gradient().identity());
  CHECK(nodes[0].inputs[1].gradient == nullptr);
  CHECK(nodes[1].inputs[0].gradient == nodes[0].gradient);
  CHECK(nodes[1].shape == Shape{4});
  CHECK(nodes[2].op == std::string("sum"));
  CHECK(nodes[2].gradient == loss.gradient().identity());
  CHECK(nodes[2].backward == 0);
  backward(loss);
  CHECK(nodes[2].backward > 0);
}
