// Random changes of images, against cases worked out by hand.
#include "data/images/augmentation.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace calque;

namespace {

constexpr ImageShape shape{3, 3, 1};
const std::vector<uint8_t> image = {1, 2, 3, 4, 5, 6, 7, 8, 9};

std::vector<int32_t> changed(const Augmentation& options, int64_t epoch, int64_t number = 0,
                             uint64_t seed = 1) {
  std::vector<int32_t> result(image.size());
  augment(image, shape, options, augmentation_stream(seed, epoch, number), result);
  return result;
}

}  // namespace

TEST_CASE("without options an image is unchanged") {
  CHECK(changed({}, 3) == std::vector<int32_t>(image.begin(), image.end()));
}

TEST_CASE("a shifted image is moved by whole pixels, in every direction") {
  std::set<std::vector<int32_t>> seen;
  for (int64_t epoch = 0; epoch < 200; ++epoch) seen.insert(changed({.shift = 1}, epoch));
  CHECK(seen.size() == 9);
  CHECK(seen.contains({1, 2, 3, 4, 5, 6, 7, 8, 9}));
  CHECK(seen.contains({0, 0, 0, 0, 1, 2, 0, 4, 5}));
  CHECK(seen.contains({5, 6, 0, 8, 9, 0, 0, 0, 0}));
}

TEST_CASE("a flip exchanges left and right in about half of the images") {
  int64_t flipped = 0;
  for (int64_t number = 0; number < 400; ++number) {
    const auto result = changed({.flip = true}, 0, number);
    if (result == std::vector<int32_t>{3, 2, 1, 6, 5, 4, 9, 8, 7}) {
      ++flipped;
    } else {
      CHECK(result == std::vector<int32_t>(image.begin(), image.end()));
    }
  }
  CHECK(flipped > 150);
  CHECK(flipped < 250);
}

TEST_CASE("a rotation and a change of scale keep the centre pixel") {
  for (int64_t epoch = 0; epoch < 50; ++epoch) {
    CHECK(changed({.rotate = 180}, epoch)[4] == 5);
    CHECK(changed({.scale = 0.5}, epoch)[4] == 5);
  }
  CHECK(changed({.rotate = 180}, 0) != changed({.rotate = 180}, 1));
}

TEST_CASE("an erased rectangle has one colour, and the option is its probability") {
  int64_t erased = 0;
  for (int64_t number = 0; number < 400; ++number) {
    const auto result = changed({.erase = 0.25}, 0, number);
    std::set<int32_t> colours;
    for (size_t i = 0; i < image.size(); ++i) {
      if (result[i] != image[i]) colours.insert(result[i]);
    }
    CHECK(colours.size() <= 1);
    erased += std::ssize(colours);
  }
  CHECK(erased > 70);
  CHECK(erased < 130);
}

TEST_CASE("the change is a function of the seed, the epoch and the image number") {
  const Augmentation all{.shift = 1, .flip = true, .rotate = 20, .scale = 0.2, .erase = 0.5};
  std::set<std::vector<int32_t>> of_epochs, of_numbers, of_seeds;
  for (int64_t i = 0; i < 10; ++i) {
    CHECK(changed(all, i, 7) == changed(all, i, 7));
    of_epochs.insert(changed(all, i, 7));
    of_numbers.insert(changed(all, 3, i));
    of_seeds.insert(changed(all, 3, 7, static_cast<uint64_t>(i)));
  }
  CHECK(of_epochs.size() > 5);
  CHECK(of_numbers.size() > 5);
  CHECK(of_seeds.size() > 5);
}
