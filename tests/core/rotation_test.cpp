#include "core/rotation.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

using namespace calque;

TEST_CASE("the frequencies of a head fall from 1 by equal factors, for the part that rotates") {
  CHECK(Rotation().frequencies(4) == std::vector<double>{1, 0.01});
  CHECK(Rotation{.base = 16}.frequencies(8) == std::vector<double>{1, 0.5, 0.25, 0.125});
  CHECK(Rotation{.base = 16, .part = 0.5}.frequencies(16) ==
        std::vector<double>{1, 0.5, 0.25, 0.125});
  CHECK(Rotation{.part = 0.25}.rotated(10) == 2);
}

TEST_CASE("linear scaling divides all frequencies, llama3 only those of long waves") {
  Rotation rotation{.base = 16, .scaling = {.kind = RotationScalingKind::linear, .factor = 4}};
  CHECK(rotation.frequencies(4) == std::vector<double>{0.25, 0.0625});
  rotation.scaling = {
      .kind = RotationScalingKind::llama3, .factor = 8, .low = 1, .high = 4, .original = 64};
  // In 64 tokens the pairs turn 10.2, 2.55, 0.64 times: kept, in between, divided.
  const std::vector<double> f = Rotation{.base = 64, .scaling = rotation.scaling}.frequencies(6);
  CHECK(f[0] == 1);
  const double share = (64 * 0.25 / (2 * std::numbers::pi) - 1) / 3;
  CHECK(f[1] == doctest::Approx(share * 0.25 + (1 - share) * 0.25 / 8));
  CHECK(f[2] == doctest::Approx(0.0625 / 8));
}

TEST_CASE("a layer with a window has the local base, without scaling; other layers do not") {
  const Rotation rotation{.base = 1e6,
                          .local_base = 1e4,
                          .scaling = {.kind = RotationScalingKind::linear, .factor = 8}};
  CHECK(rotation.at_layer(true) == Rotation{.base = 1e4});
  CHECK(rotation.at_layer(false) == Rotation{.base = 1e6, .scaling = rotation.scaling});
  CHECK(Rotation{.base = 500}.at_layer(true) == Rotation{.base = 500});
}
