#include "data/datasets/pair_sampling.h"

#include <doctest/doctest.h>

#include <cmath>

namespace calque {
namespace {

Dataset dataset_of(const std::vector<std::pair<std::string, int64_t>>& parts) {
  Dataset dataset;
  for (const auto& [pair, examples] : parts) {
    dataset.add_part({.name = "corpus", .pair = pair, .examples = examples, .lines = examples});
  }
  return dataset;
}

double in_epoch(const Dataset& dataset, size_t part) {
  return dataset.parts[part].share.weight * double(dataset.parts[part].examples);
}

}  // namespace

TEST_CASE("temperature 1 leaves the weights of all parts as they are, to the last bit") {
  Dataset dataset = dataset_of({{"en-de", 900}, {"en-eu", 9}});
  dataset.parts[1].share.weight = 0.3;
  apply_temperature(dataset, 1);
  CHECK(dataset.parts[0].share.weight == 1);
  CHECK(dataset.parts[1].share.weight == 0.3);
}

TEST_CASE("a temperature raises the shares of pairs to its reciprocal and keeps the epoch's size") {
  Dataset dataset = dataset_of({{"en-de", 1600}, {"en-eu", 100}});
  apply_temperature(dataset, 2);
  CHECK(in_epoch(dataset, 0) == doctest::Approx(4 * in_epoch(dataset, 1)));  // sqrt(16)
  CHECK(in_epoch(dataset, 0) + in_epoch(dataset, 1) == doctest::Approx(1700));
  apply_temperature(dataset, 1000);
  CHECK(in_epoch(dataset, 0) == doctest::Approx(850).epsilon(0.01));
}

TEST_CASE("corpora of one pair keep their proportion, and weights count as data") {
  Dataset dataset = dataset_of({{"en-de", 100}, {"en-de", 300}, {"de-en", 100}});
  dataset.parts[0].share.weight = 3;
  apply_temperature(dataset, 5);
  CHECK(in_epoch(dataset, 0) == doctest::Approx(in_epoch(dataset, 1)));
  const double both = in_epoch(dataset, 0) + in_epoch(dataset, 1);
  CHECK(both / in_epoch(dataset, 2) == doctest::Approx(std::pow(6.0, 0.2)));
}

TEST_CASE("a pair without examples keeps its weight and takes nothing from the others") {
  Dataset dataset = dataset_of({{"en-de", 100}, {"en-eu", 0}});
  apply_temperature(dataset, 3);
  CHECK(in_epoch(dataset, 0) == doctest::Approx(100));
  CHECK(dataset.parts[1].share.weight == 1);
}

TEST_CASE("the shares of pairs are listed in the order of the parts") {
  Dataset dataset = dataset_of({{"de-en", 10}, {"en-de", 5}, {"de-en", 1}});
  dataset.parts[2].share.weight = 2;
  const std::vector<PairShare> shares = pair_shares(dataset);
  REQUIRE(shares.size() == 2);
  CHECK(shares[0].pair == "de-en");
  CHECK(shares[0].examples == 11);
  CHECK(shares[0].in_epoch == 12);
  CHECK(shares[1].pair == "en-de");
}

}  // namespace calque
