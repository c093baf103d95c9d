#include "data/datasets/pair_sampling.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace calque {

std::vector<PairShare> pair_shares(const Dataset& dataset) {
  std::vector<PairShare> shares;
  for (const DatasetPart& part : dataset.parts) {
    auto found = std::ranges::find(shares, part.pair, &PairShare::pair);
    if (found == shares.end()) found = shares.insert(found, {.pair = part.pair});
    found->examples += part.examples;
    found->in_epoch += part.share.weight * static_cast<double>(part.examples);
  }
  return shares;
}

void apply_temperature(Dataset& dataset, double temperature) {
  require(temperature > 0, "apply_temperature: {}", temperature);
  if (temperature == 1) return;
  const std::vector<PairShare> shares = pair_shares(dataset);
  double all = 0, tempered = 0;
  for (const PairShare& share : shares) all += share.in_epoch;
  const auto power = [&](const PairShare& share) {
    return share.in_epoch > 0 ? std::pow(share.in_epoch / all, 1 / temperature) : 0;
  };
  for (const PairShare& share : shares) tempered += power(share);
  for (DatasetPart& part : dataset.parts) {
    const PairShare& share = *std::ranges::find(shares, part.pair, &PairShare::pair);
    if (share.in_epoch > 0) part.share.weight *= all * power(share) / tempered / share.in_epoch;
  }
}

}  // namespace calque
