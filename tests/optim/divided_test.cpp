// Optimizers that divide the parameters among them, as the ranks of a run do.
#include <doctest/doctest.h>

#include "optim/gradient_tree.h"
#include "optim/optimizer.h"
#include "small_model.h"

using namespace calque;

namespace {

constexpr int64_t count = 4;

SmallModel model_of_matrices() {
  return SmallModel({{"table", {300, 32}, Role::embedding},
                     {"a", {32, 64}},
                     {"a.bias", {64}, Role::bias},
                     {"b", {64, 32}},
                     {"c", {48, 48}},
                     {"d", {7, 90}},
                     {"gain", {32}, Role::gain}});
}

std::vector<FlatRange> equal_shares(const Parameters& parameters) {
  const FlatBlocks blocks(parameters, count);
  const int64_t size = parameters.flat_size();
  std::vector<FlatRange> shares;
  for (int64_t i = 0; i < count; ++i) {
    shares.push_back({std::min(i * blocks.block, size), std::min((i + 1) * blocks.block, size)});
  }
  return shares;
}

// The state of all optimizers, put together.
std::vector<real> joined_state(std::vector<Optimizer>& optimizers, size_t window, size_t size) {
  std::vector<real> whole(size, real(-1));
  for (Optimizer& optimizer : optimizers) {
    const StateWindow part = optimizer.state()[window];
    REQUIRE(size_of(part.pieces) == std::ssize(part.values));
    auto next = part.values.begin();
    for (const FlatRange& piece : part.pieces) {
      std::copy_n(next, piece.size(), whole.begin() + piece.begin);
      next += piece.size();
    }
  }
  return whole;
}

}  // namespace

TEST_CASE("optimizers that divide the parameters give the same bits as one, and the same state") {
  for (const OptimizerSettings& settings : std::vector<OptimizerSettings>{
           AdamSettings{.decay = {.rate = 0.01}}, SgdSettings{}, SgdSettings{.momentum = 0.9},
           MuonSettings{.decay = {.rate = 0.01}}}) {
    SmallModel together = model_of_matrices(), shared = model_of_matrices();
    together.set_random_values(), shared.set_random_values();
    Optimizer whole(together.parameters, settings, 1);
    std::vector<Optimizer> parts;
    for (const FlatRanges& ranges :
         Optimizer::divide(shared.parameters, settings, equal_shares(shared.parameters))) {
      parts.emplace_back(shared.parameters, settings, 1, ranges);
    }
    for (uint32_t step = 0; step < 3; ++step) {
      together.set_random_gradients(step), shared.set_random_gradients(step);
      whole.update(together.parameters, 0.01, 0.5);
      for (Optimizer& part : parts) part.update(shared.parameters, 0.01, 0.5);
      CHECK(together.flat() == shared.flat());
    }
    const std::vector<StateWindow> state = whole.state();
    for (size_t i = 0; i < state.size(); ++i) {
      CAPTURE(state[i].name);
      const std::vector<real> expected(state[i].values.begin(), state[i].values.end());
      CHECK(joined_state(parts, i, expected.size()) == expected);
    }
  }
}

TEST_CASE("Muon gives each of several ranks about as much to compute, and its share of the rest") {
  const SmallModel model = model_of_matrices();
  const std::vector<FlatRange> shares = equal_shares(model.parameters);
  const std::vector<FlatRanges> divided = Muon::divide(model.parameters, shares);
  const auto holder_of = [&](const char* name) {
    const int64_t begin = model.entry(name).offset;
    const FlatRange matrix{begin, begin + model.entry(name).shape.elements()};
    const auto has = [&](const FlatRanges& ranges) { return !common(ranges, {matrix}).empty(); };
    CHECK(std::ranges::count_if(divided, has) == 1);
    return std::ranges::find_if(divided, has) - divided.begin();
  };
  // c is the most expensive, then a and b, which are equal, then d.
  CHECK(holder_of("c") == 0);
  CHECK(holder_of("a") == 1);
  CHECK(holder_of("b") == 2);
  CHECK(holder_of("d") == 3);
  int64_t numbers = 0;
  for (const FlatRanges& ranges : divided) numbers += size_of(ranges);
  const int64_t behind_d = model.entry("gain").offset - model.entry("d").offset - 7 * 90;
  CHECK(numbers == model.parameters.flat_size() - behind_d);
}

TEST_CASE("ranges of the flat buffer have common numbers and positions among others") {
  const FlatRanges a{{0, 10}, {20, 30}, {40, 50}}, b{{5, 25}, {28, 45}};
  CHECK(common(a, b) == FlatRanges{{5, 10}, {20, 25}, {28, 30}, {40, 45}});
  CHECK(positions({{5, 10}, {28, 30}, {40, 41}}, a) == FlatRanges{{5, 10}, {18, 20}, {20, 21}});
  CHECK_THROWS_AS(positions({{8, 12}}, a), Misuse);
  CHECK(common(a, {}).empty());
}
