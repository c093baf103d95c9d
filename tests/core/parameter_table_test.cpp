// The lines of the parameter table, and their sums.

#include "core/parameter_table.h"

#include <doctest/doctest.h>

using namespace calque;

namespace {

std::string line(const char* name, const char* factors, const char* size, const char* share) {
  return fmt::format("{:<36}{:>18}{:>16}{:>9}\n", name, factors, size, share);
}

}  // namespace

TEST_CASE("the table has a line for each kind of module and one for all, before values exist") {
  Parameters parameters;
  const Path root(parameters);
  const auto add = [](const Path& at, const char* name, const Shape& shape) {
    at.parameter(name, shape, Role::weight, constant(0));
  };
  add(root / "embedding", "weight", {1000, 10});
  for (int64_t i = 0; i < 12; ++i) {
    const Path layer = root / "encoder" / "layers" / i;
    add(layer / "attention" / "qkv", "weight", {10, 30});
    add(layer / "attention" / "output", "weight", {10, 10});
    add(layer / "attention" / "output", "bias", {10});
    add(layer / "norm", "gain", {10});
  }
  add(root / "encoder" / "norm", "gain", {10});
  CHECK_FALSE(parameters.allocated());
  CHECK(parameter_table(parameters) ==
        line("embedding", "", "10,000", "66.4%") +
            line("encoder.layers.*.attention", "12 x 410", "4,920", "32.7%") +
            line("encoder.layers.*.norm", "12 x 10", "120", "0.8%") +
            line("encoder.norm", "", "10", "0.1%") + line("total", "", "15,050", "100.0%"));
}

TEST_CASE("numbered modules of different sizes have lines of their own") {
  Parameters parameters;
  const Path root(parameters);
  for (const int64_t i : {0, 1, 2}) {
    (root / "layers" / i).parameter("weight", {i == 0 ? 5 : 3, 2}, Role::weight, constant(0));
  }
  (root).parameter("scale", {1}, Role::gain, constant(0));
  CHECK(parameter_table(parameters) ==
        line("layers.*", "", "10", "43.5%") + line("layers.*", "2 x 6", "12", "52.2%") +
            line("scale", "", "1", "4.3%") + line("total", "", "23", "100.0%"));
}

TEST_CASE("the table of a model without parameters has only the total") {
  CHECK(parameter_table(Parameters()) == line("total", "", "0", "100.0%"));
}
