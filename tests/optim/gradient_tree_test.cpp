// The sum of the gradients of the parts of a step.
#include "optim/gradient_tree.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "core/flat_gradient.h"
#include "optim/gradient_norm.h"
#include "small_model.h"
#include "support/threads.h"

using namespace calque;
using doctest::Approx;

namespace {

bool same_bits(std::span<const real> a, std::span<const real> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

std::vector<real> gradient_of(const SmallModel& model, const std::string& name) {
  const auto gradient = model.entry(name).tensor.gradient().span();
  return {gradient.begin(), gradient.end()};
}

std::vector<real> plus(std::vector<real> a, const std::vector<real>& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

Buffer<real> gradient_of_part(SmallModel& model, int64_t part) {
  FlatGradient gradient(model.parameters, model.parameters.flat_size());
  {
    const FlatGradient::Use use(gradient);
    model.set_random_gradients(static_cast<uint32_t>(part));
  }
  return std::move(gradient).numbers();
}

std::vector<real> numbers_of(const Buffer<real>& buffer) {
  return {buffer.data(), buffer.data() + buffer.size()};
}

std::vector<real> sum_of_parts(SmallModel& model, int64_t parts) {
  GradientTree tree(parts);
  for (int64_t part = 0; part < parts; ++part) tree.add(part, gradient_of_part(model, part));
  return numbers_of(tree.sum());
}

}  // namespace

TEST_CASE("the parts of a gradient are added in a binary tree") {
  SmallModel model = model_of_many_slices();
  for (const Parameters::Entry& entry : model.parameters.entries()) {
    CAPTURE(entry.name);
    std::vector<std::vector<real>> part;
    for (uint32_t p = 0; p < 8; ++p) {
      model.parameters.clear_gradients();
      model.set_random_gradients(p);
      part.push_back(gradient_of(model, entry.name));
    }
    const auto four = [&](size_t p) {
      return plus(plus(part[p], part[p + 1]), plus(part[p + 2], part[p + 3]));
    };
    const auto sum = [&](int64_t parts) {
      const std::vector<real> all = sum_of_parts(model, parts);
      const auto begin = all.begin() + entry.offset;
      return std::vector<real>(begin, begin + entry.shape.elements());
    };
    CHECK(same_bits(sum(1), part[0]));
    CHECK(same_bits(sum(2), plus(part[0], part[1])));
    CHECK(same_bits(sum(4), four(0)));
    CHECK(same_bits(sum(8), plus(four(0), four(4))));
  }
}

TEST_CASE("the sum of the parts has the same bits with any number of threads") {
  const Threads as_before;
  SmallModel model = model_of_many_slices();
  set_threads(1);
  const std::vector<real> alone = sum_of_parts(model, 8);
  for (const int count : {2, 3, 4}) {
    set_threads(count);
    CHECK(same_bits(sum_of_parts(model, 8), alone));
  }
}

TEST_CASE("the sum of the parts does not depend on the order in which threads bring them") {
  SmallModel model = model_of_many_slices();
  const std::vector<real> in_order = sum_of_parts(model, 8);
  for (const std::vector<int64_t>& order :
       {std::vector<int64_t>{7, 6, 5, 4, 3, 2, 1, 0}, {0, 4, 2, 6, 1, 5, 3, 7}}) {
    GradientTree tree(8);
    for (const int64_t part : order) tree.add(part, gradient_of_part(model, part));
    CHECK(same_bits(numbers_of(tree.sum()), in_order));
  }
  GradientTree missing(8);
  missing.add(0, gradient_of_part(model, 0));
  missing.add(2, gradient_of_part(model, 2));
  missing.add(4, gradient_of_part(model, 4));
  CHECK_THROWS_AS(missing.sum(), Misuse);
}

TEST_CASE("few buffers exist at a time") {
  CHECK(GradientTree::buffers_for(1, 1) == 1);
  CHECK(GradientTree::buffers_for(2, 1) == 2);
  CHECK(GradientTree::buffers_for(8, 1) == 4);  // the sums of 4, 2 and 1 parts, and the last part
  CHECK(GradientTree::buffers_for(8, 2) == 4);
  CHECK(GradientTree::buffers_for(8, 8) == 8);
}

TEST_CASE("a frozen parameter and the gaps have the gradient zero in the sum of the parts") {
  SmallModel model({{"a", {3}}, {"b", {70}}, {"c", {5}}});
  model.parameters.freeze("b");
  GradientTree tree(4);
  for (int part = 0; part < 4; ++part) {
    FlatGradient gradient(model.parameters, FlatBlocks(model.parameters, 4).size());
    {
      const FlatGradient::Use use(gradient);
      for (const char* name : {"a", "c"}) {
        const Tensor& tensor = model.entry(name).tensor;
        std::fill_n(tensor.gradient().open().data, tensor.size(), real(1));
      }
    }
    tree.add(part, std::move(gradient).numbers());
  }
  real total = 0;
  for (const real g : numbers_of(tree.sum())) total += g;
  CHECK(total == 4 * (3 + 5));
  CHECK(tree.sum()[model.entry("b").offset] == 0);
}

TEST_CASE("the norm over the blocks is the norm of the whole gradient") {
  SmallModel model = model_of_many_slices();
  const std::vector<real> gradient = sum_of_parts(model, 1);
  model.set_random_gradients(0);
  for (const int64_t parts : {1, 2, 8}) {
    const FlatBlocks blocks(model.parameters, parts);
    std::vector<real> padded = gradient;
    padded.resize(static_cast<size_t>(blocks.size()));
    const double norm = norm_of_blocks(squares_of_blocks(padded, blocks, 0, parts));
    CHECK(norm == Approx(gradient_norm(model.parameters)).epsilon(1e-12));
  }
}
