#include "core/parameters.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/ops.h"

using namespace calque;

TEST_CASE("parameters are named views of a flat buffer, in the order of construction") {
  Parameters parameters;
  const Path root(parameters);
  const Tensor w = (root / "layers" / 0).parameter("weight", {3, 5}, Role::weight, constant(2));
  const Tensor b = (root / "layers" / 0).parameter("bias", {5}, Role::weight, constant(7));
  CHECK(parameters.count() == 20);
  parameters.allocate();
  parameters.initialise(1);
  CHECK(parameters.entries()[0].name == "layers.0.weight");
  CHECK(parameters.entries()[1].name == "layers.0.bias");
  CHECK(parameters.find("layers.0.bias")->tensor.data() == b.data());
  CHECK(w.data() == parameters.values().data());
  CHECK(b.data() == parameters.values().data() + parameters.entries()[1].offset);
  CHECK(w.span()[14] == 2);
  CHECK(b.span()[4] == 7);
}

TEST_CASE("parameters can be moved but not copied") {
  static_assert(!std::is_copy_constructible_v<Parameters> &&
                !std::is_copy_assignable_v<Parameters>);
  Parameters first;
  const Tensor w = first.add("weight", {3}, Role::weight, constant(2));
  first.allocate();
  first.initialise(1);
  const Parameters second = std::move(first);
  CHECK(second.values()[2] == 2);
  CHECK(second.find("weight")->tensor.data() == w.data());
}

TEST_CASE("a parameter's initial values depend only on its name and the seed") {
  const auto values = [](bool with_neighbour, uint64_t seed) {
    Parameters parameters;
    if (with_neighbour) parameters.add("other", {100}, Role::weight, normal(1));
    const Tensor w = parameters.add("w", {50}, Role::weight, normal(1));
    parameters.allocate();
    parameters.initialise(seed);
    return std::vector<real>(w.span().begin(), w.span().end());
  };
  CHECK(values(false, 1) == values(true, 1));
  CHECK(values(false, 1) != values(false, 2));
}

TEST_CASE("a parameter's gradient has memory from its first contribution until it is cleared") {
  Parameters parameters;
  const Tensor w = parameters.add("w", {1000, 1000}, Role::weight, constant(2));
  parameters.allocate();
  parameters.initialise(1);
  const int64_t before = memory_statistics().used;
  const int64_t bytes = w.size() * int64_t{sizeof(real)};
  for (int step = 0; step < 2; ++step) {
    {
      const Tape tape;
      const Tensor loss = sum(w);
      CHECK(memory_statistics().used < before + bytes);
      backward(loss);
    }
    CHECK(w.gradient().span()[999'999] == 1);
    CHECK(memory_statistics().used >= before + bytes);
    parameters.clear_gradients();
    CHECK(memory_statistics().used == before);
  }
}

TEST_CASE("a gradient is zero without a contribution, and in its padding") {
  Parameters parameters;
  const Tensor used = parameters.add("used", {3}, Role::weight, constant(2));
  const Tensor unused = parameters.add("unused", {3}, Role::weight, constant(2));
  parameters.allocate();
  parameters.initialise(1);
  for (const Tensor& w : {used, unused}) std::fill_n(w.gradient().open().data, 3, real(99));
  parameters.clear_gradients();
  {
    const Tape tape;
    backward(sum(square(used)));
  }
  const real* of_used = used.gradient().span().data();
  const real* of_unused = unused.gradient().span().data();
  for (int i = 0; i < 8; ++i) {  // a whole vector, also of doubles
    CHECK(of_used[i] == (i < 3 ? 4 : 0));
    CHECK(of_unused[i] == 0);
  }
}

TEST_CASE("modules at a path of allocated parameters share them") {
  Parameters parameters;
  const Path at = Path(parameters) / "linear";
  const Tensor first = at.parameter("weight", {3, 5}, Role::weight, constant(2));
  parameters.allocate();
  const Tensor second = at.parameter("weight", {3, 5}, Role::weight, constant(7));
  parameters.initialise(1);
  CHECK(second.data() == first.data());
  CHECK(second.span()[14] == 2);
  CHECK(parameters.entries().size() == 1);
  CHECK_THROWS_AS(at.parameter("weight", {5, 3}, Role::weight, constant(2)), Misuse);
  CHECK_THROWS_AS(at.parameter("bias", {5}, Role::bias, constant(2)), Misuse);
}

TEST_CASE("two parameters of one name, and additions after allocation, are refused") {
  Parameters parameters;
  parameters.add("w", {1}, Role::weight, constant(0));
  CHECK_THROWS_AS(parameters.add("w", {2}, Role::weight, constant(0)), Misuse);
  CHECK_THROWS_AS(parameters.values(), Misuse);
  parameters.allocate();
  CHECK_THROWS_AS(parameters.add("v", {2}, Role::weight, constant(0)), Misuse);
}
