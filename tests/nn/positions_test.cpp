// The position tables against their formulas, and their addition to tokens.

#include "nn/layers/positions.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/error.h"
#include "nn/small_model.h"

using namespace calque;
using doctest::Approx;

namespace {

double at(const Tensor& table, int64_t row, int64_t col) {
  return double(table.data()[row * table.cols() + col]);
}

const double pi = std::acos(-1.0);

}  // namespace

TEST_CASE("interleaved positions alternate a sine and a cosine of each frequency") {
  const Tensor table = sinusoids(PositionKind::interleaved, 4, 4);  // frequencies 1 and 1/100
  const double expected[] = {0, 1, 0, 1, 0.841471, 0.540302, 0.0099998, 0.99995};
  for (int i = 0; i < 8; ++i) CHECK(at(table, i / 4, i % 4) == Approx(expected[i]).epsilon(1e-5));
  CHECK(at(table, 3, 0) == Approx(0.141120).epsilon(1e-5));
  CHECK(at(table, 3, 3) == Approx(0.999550).epsilon(1e-5));
}

TEST_CASE("halves positions are the interleaved ones with all sines before all cosines") {
  const Tensor halves = sinusoids(PositionKind::halves, 20, 6);
  const Tensor interleaved = sinusoids(PositionKind::interleaved, 20, 6);
  for (int64_t p = 0; p < 20; ++p) {
    for (int64_t k = 0; k < 3; ++k) {
      CHECK(at(halves, p, k) == at(interleaved, p, 2 * k));
      CHECK(at(halves, p, 3 + k) == at(interleaved, p, 2 * k + 1));
    }
  }
}

TEST_CASE("t2t positions reach the frequency 1/10000 exactly in their last pair") {
  const Tensor table = sinusoids(PositionKind::t2t, 4, 6);  // frequencies 1, 1/100, 1/10000
  const double expected[] = {0.141120, 0.0299955, 0.0003, -0.989992, 0.999550, 1.0};
  for (int i = 0; i < 6; ++i) CHECK(at(table, 3, i) == Approx(expected[i]).epsilon(1e-5));
  const Tensor single = sinusoids(PositionKind::t2t, 2, 2);  // one pair alone: frequency 1
  CHECK(at(single, 1, 0) == Approx(0.841471).epsilon(1e-5));
}

TEST_CASE("fairseq counts the positions of t2t from 2") {
  const Tensor table = sinusoids(PositionKind::fairseq, 4, 6),
               far = sinusoids(PositionKind::t2t, 9, 6);
  const Tensor later = sinusoids(PositionKind::fairseq, 2, 6, 5);
  for (int i = 0; i < 6; ++i) {
    CHECK(at(table, 3, i) == at(far, 5, i));
    CHECK(at(later, 1, i) == at(far, 8, i));
  }
}

TEST_CASE("the table follows its formula at a far position, in its fastest and slowest wave") {
  const int64_t d_model = 512;
  const auto quarter = static_cast<int64_t>(std::round(10000 * pi / 2));
  const Tensor table = sinusoids(PositionKind::interleaved, quarter + 1, d_model);
  CHECK(at(table, quarter, 0) == Approx(std::sin(static_cast<double>(quarter))).epsilon(1e-5));
  const double slowest = std::pow(10000.0, -510.0 / 512.0);
  CHECK(at(table, quarter, 510) ==
        Approx(std::sin(static_cast<double>(quarter) * slowest)).epsilon(1e-5));
}

TEST_CASE("the slowest wave of 512 columns is 10000^(510/512) times 2 pi long") {
  const double length = 2 * pi * std::pow(10000.0, 510.0 / 512.0);  // 60611.5
  const Tensor begin = sinusoids(PositionKind::interleaved, 2, 512);
  CHECK(2 * pi / std::asin(at(begin, 1, 510)) == Approx(length).epsilon(1e-5));
  // One wave later the sine again rises through 0.
  const auto before = static_cast<int64_t>(length);
  const Tensor end = sinusoids(PositionKind::interleaved, 2, 512, before);
  CHECK(at(end, 0, 510) < 0);
  CHECK(at(end, 1, 510) > 0);
}

TEST_CASE("every sentence counts its positions from its start") {
  LayerOptions options = small_options().layer;
  Parameters parameters;
  const Positions positions(Path(parameters), options);
  CHECK(parameters.entries().empty());
  const Segments segments = Segments::of_lengths(std::vector<int32_t>{2, 0, 3});
  const Tensor x = Tensor::zeros({5, 8});
  const auto row_is = [&](const Tensor& y, int64_t row, int64_t position) {
    for (int64_t c = 0; c < 8; ++c) CHECK(at(y, row, c) == at(positions.table, position, c));
  };
  const Tensor y = positions(x, segments);
  const int64_t from_zero[] = {0, 1, 0, 1, 2};
  for (int64_t t = 0; t < 5; ++t) row_is(y, t, from_zero[t]);
  const Tensor later = positions(x, segments, std::vector<int32_t>{4, 9, 6});
  const int64_t from_starts[] = {4, 5, 6, 7, 8};
  for (int64_t t = 0; t < 5; ++t) row_is(later, t, from_starts[t]);
}

TEST_CASE("sinusoids have no maximum length, and learned positions report theirs") {
  LayerOptions options = small_options().layer;
  const Segments segments = Segments::of_lengths(std::vector<int32_t>{20});
  const Tensor x = Tensor::zeros({20, 8});
  Parameters none;
  const Tensor y = Positions(Path(none), options)(x, segments);
  CHECK(at(y, 19, 0) == Approx(std::sin(19.0)).epsilon(1e-5));

  // Far beyond the table of 16: a whole table would not fit into memory.
  const Segments two = Segments::of_lengths(std::vector<int32_t>{1, 2});
  const Tensor far = Positions(Path(none), options)(
      Tensor::zeros({3, 8}), two, std::vector<int32_t>{2'000'000'000, 2'000'000'003});
  const double positions[] = {2'000'000'000.0, 2'000'000'003.0, 2'000'000'004.0};
  for (int64_t t = 0; t < 3; ++t) {
    CHECK(at(far, t, 0) == Approx(std::sin(positions[t])).epsilon(1e-5));
    CHECK(at(far, t, 1) == Approx(std::cos(positions[t])).epsilon(1e-5));
  }

  options.positions = PositionKind::learned;
  Parameters parameters;
  const Positions learned(Path(parameters) / "positions", options);
  REQUIRE(parameters.entries().size() == 1);
  CHECK(parameters.entries()[0].name == "positions.weight");
  CHECK(parameters.entries()[0].shape == Shape{16, 8});
  parameters.allocate();
  CHECK_THROWS_WITH_AS(
      learned(x, segments),
      "a sentence of 20 tokens, but the model has learned positions for 16; shorten "
      "it, or train with a larger max_positions",
      Error);
  const Segments short_one = Segments::of_lengths(std::vector<int32_t>{1});
  CHECK_THROWS_AS(learned(Tensor::zeros({1, 8}), short_one, std::vector<int32_t>{16}), Error);
}
