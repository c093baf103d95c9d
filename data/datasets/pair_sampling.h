#pragma once
// How often an epoch takes the examples of each language pair: by size, or more evenly.

#include <string>
#include <vector>

#include "data/datasets/dataset.h"

namespace calque {

// The examples of a language pair, and how many of them an epoch takes.
struct PairShare {
  std::string pair;
  int64_t examples = 0;
  double in_epoch = 0;
};

// Of each pair, in the order of the parts. Counts all corpora, also those of the first epochs only.
std::vector<PairShare> pair_shares(const Dataset& dataset);

// The sizes of pairs at a temperature, with the same sum: a pair with the share p gets one in
// proportion to p^(1/temperature).
std::vector<double> tempered(std::vector<double> sizes, double temperature);

// Changes the weights of the parts so that a pair with the share p of an epoch has one in
// proportion to p^(1/temperature), and the epoch keeps its size: 1 changes nothing, a large
// temperature makes all pairs about equally frequent. Corpora of one pair keep their proportion.
void apply_temperature(Dataset& dataset, double temperature);

}  // namespace calque
