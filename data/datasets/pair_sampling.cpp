#include "data/datasets/pair_sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

std::vector<double> tempered(std::vector<double> sizes, double temperature) {
  require(temperature > 0, "tempered: {}", temperature);
  if (temperature == 1) return sizes;
  const double all = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  double sum = 0;
  for (double& size : sizes) {
    size = size > 0 ? std::pow(size / all, 1 / temperature) : 0;
    sum += size;
  }
  for (double& size : sizes) size *= all / sum;
  return sizes;
}

void apply_temperature(Dataset& dataset, double temperature) {
  const std::vector<PairShare> shares = pair_shares(dataset);
  std::vector<double> sizes;
  for (const PairShare& share : shares) sizes.push_back(share.in_epoch);
  const std::vector<double> wanted = tempered(sizes, temperature);
  for (DatasetPart& part : dataset.parts) {
    const auto pair = std::ranges::find(shares, part.pair, &PairShare::pair) - shares.begin();
    const auto i = static_cast<size_t>(pair);
    if (sizes[i] > 0) part.share.weight *= wanted[i] / sizes[i];
  }
}

}  // namespace calque
