// The Vision Transformer: patches and positions worked out by hand, logits and gradients beside
// PyTorch's (recorded by tests/reference/vision.py). tests/nn/gradient_test.cpp has finite
// differences.
#include "nn/models/vision.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/parameters.h"
#include "core/tape.h"
#include "nn/recorded.h"
#include "support/gradient_check.h"
#include "support/message_of.h"

using namespace calque;

namespace {

VisionOptions small_options(Pooling pooling, PositionKind positions) {
  return {.layer = {.d_model = 8,
                    .d_ff = 12,
                    .heads = 2,
                    .positions = positions,
                    .norm_placement = NormPlacement::pre,
                    .dropout = 0},
          .layers = 1,
          .height = 2,
          .width = 4,
          .channels = 1,
          .patch = 2,
          .head = {.classes = 3, .pooling = pooling, .dense = false}};
}

}  // namespace

TEST_CASE(
    "patches and their pixels are in row-major order, with the channels of a pixel together") {
  VisionOptions options = small_options(Pooling::mean, PositionKind::none);
  const Tensor grey = patches_of(Tensor::of({1, 8}, {1, 2, 3, 4, 5, 6, 7, 8}), options);
  CHECK(grey.shape() == Shape{2, 4});
  for (const auto& [index, value] : {std::pair{0, 1}, {1, 2}, {2, 5}, {3, 6}, {4, 3}, {7, 8}}) {
    CHECK(grey.data()[index] == value);
  }
  options.channels = 2;
  options.height = 4;
  options.width = 2;
  std::vector<real> numbers(32);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<real>(i);
  const Tensor both = Tensor::zeros({2, 16});
  std::ranges::copy(numbers, both.data());
  const Tensor patches = patches_of(both, options);
  CHECK(patches.shape() == Shape{4, 8});
  for (size_t i = 0; i < numbers.size(); ++i) CHECK(patches.data()[i] == numbers[i]);
}

TEST_CASE("plane positions encode the row in one half and the column in the other") {
  VisionOptions options = small_options(Pooling::cls, PositionKind::plane);
  options.height = 4;  // 2 x 2 patches after the learned token
  const Tensor table = plane_sinusoids(options);
  CHECK(table.shape() == Shape{5, 8});
  for (int k = 0; k < 8; ++k) CHECK(table.data()[k] == 0);
  const real* last = table.data() + 4 * 8;  // row 1, column 1
  CHECK(double(last[0]) == doctest::Approx(std::sin(1)));
  CHECK(double(last[1]) == doctest::Approx(std::sin(0.01)));
  CHECK(double(last[2]) == doctest::Approx(std::cos(1)));
  for (int k = 0; k < 4; ++k) CHECK(last[k] == last[4 + k]);
  const real* second = table.data() + 2 * 8;  // row 0, column 1
  CHECK(second[0] == 0);
  CHECK(double(second[4]) == doctest::Approx(std::sin(1)));
}

TEST_CASE("an image's vector does not depend on the other images of its batch") {
  for (const Pooling pooling : {Pooling::cls, Pooling::mean}) {
    for (const PositionKind positions : {PositionKind::learned, PositionKind::plane}) {
      Parameters parameters;
      const VisionTransformer model(Path(parameters), small_options(pooling, positions));
      parameters.allocate();
      parameters.initialise(1);
      const Tensor two = random_tensor({2, 8}, 1);
      const Tensor both = model.pooled(two, Mode::evaluate);
      const Tensor alone = model.pooled(slice_rows(two, 1, 2), Mode::evaluate);
      CHECK(both.shape() == Shape{2, 8});
      for (int k = 0; k < 8; ++k) {
        CHECK(double(alone.data()[k]) == doctest::Approx(double(both.data()[8 + k])));
      }
    }
  }
}

TEST_CASE("positions make the result depend on the order of the patches") {
  const auto difference = [](PositionKind positions) {
    Parameters parameters;
    const VisionTransformer model(Path(parameters), small_options(Pooling::cls, positions));
    parameters.allocate();
    parameters.initialise(1);
    // Two patches, and the same patches in the other order.
    const Tensor images = Tensor::of({2, 8}, {1, 2, 0, 3, 0, 1, 2, 2, 0, 3, 1, 2, 2, 2, 0, 1});
    const Tensor x = model.pooled(images, Mode::evaluate);
    return relative_error(std::span(x.data(), 8), std::span(x.data() + 8, 8));
  };
  CHECK(difference(PositionKind::none) < 1e-5);
  CHECK(difference(PositionKind::learned) > 1e-3);
  CHECK(difference(PositionKind::plane) > 1e-3);
}

TEST_CASE("a patch that does not divide the image is refused") {
  VisionOptions options = small_options(Pooling::cls, PositionKind::learned);
  options.patch = 3;
  Parameters parameters;
  CHECK(message_of([&] { VisionTransformer(Path(parameters), options); }) ==
        "patch is 3, which does not divide images of 4 x 2 pixels; use a divisor of both sides");
}

TEST_CASE("logits, loss and every gradient of a Vision Transformer are PyTorch's") {
  for (const auto& pooling : poolings) {
    CAPTURE(pooling.name);
    const Recorded recorded("vision/" + std::string(pooling.name) + ".safetensors");
    VisionOptions options = small_options(pooling.choice, PositionKind::learned);
    options.layer.activation = Activation::gelu;
    options.layers = 2;
    options.height = 4;
    options.width = 6;
    options.channels = 3;
    Parameters parameters;
    const VisionTransformer model(Path(parameters), options);
    parameters.allocate();
    std::set<std::string> names;
    for (const Parameters::Entry& entry : parameters.entries()) {
      CAPTURE(entry.name);
      names.insert(entry.name);
      const std::vector<real> values = recorded.numbers("initial." + entry.name);
      REQUIRE(values.size() == entry.values().size());
      std::ranges::copy(values, entry.values().begin());
    }
    const std::vector<std::string> theirs = recorded.names_after("initial.");
    CHECK(names == std::set<std::string>(theirs.begin(), theirs.end()));
    const std::vector<real> pixels = recorded.numbers("images");
    const Tensor images = Tensor::zeros({3, options.pixels()});
    std::ranges::copy(pixels, images.data());
    const Tensor logits = model.head.logits(model.pooled(images, Mode::evaluate));
    CHECK(relative_error(logits.span(), recorded.numbers("logits")) < 1e-5);

    const Tape tape;
    const auto pass = [&] { return model.pooled(images, Mode::train); };
    const TokenLoss loss = model.head.loss(pass, recorded.integers("expected"), {}, real(0.1), 0);
    CHECK(double(loss.loss.item()) ==
          doctest::Approx(double(recorded.numbers("loss").front())).epsilon(1e-5));
    backward(loss.loss);
    for (const Parameters::Entry& entry : parameters.entries()) {
      CAPTURE(entry.name);
      CHECK(relative_error(entry.tensor.gradient().span(),
                           recorded.numbers("gradient." + entry.name)) < 1e-5);
    }
  }
}
