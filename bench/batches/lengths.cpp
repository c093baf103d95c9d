#include "lengths.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "core/error.h"

namespace calque {

PairLengths multi30k_lengths() {
  constexpr const char* path = CALQUE_SOURCE_DIR "/bench/batches/multi30k_lengths.txt";
  std::ifstream file(path);
  if (!file) fail("{}: cannot be read", path);
  PairLengths pairs;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    int32_t source = 0, target = 0, count = 0;
    if (line.starts_with('#') || !(fields >> source >> target >> count)) continue;
    pairs.insert(pairs.end(), static_cast<size_t>(count), {source, target});
  }
  return pairs;
}

std::vector<int32_t> random_ids(Random& random, int32_t count, int32_t vocabulary) {
  std::vector<int32_t> ids(static_cast<size_t>(count));
  for (int32_t& id : ids) {
    id = 3 + static_cast<int32_t>(random.below(static_cast<uint64_t>(vocabulary - 3)));
  }
  return ids;
}

std::vector<ExampleBatch> make_batches(PairLengths pairs, int64_t tokens, int32_t vocabulary) {
  Random random({.seed = 1});
  random.shuffle(pairs);
  std::ranges::stable_sort(pairs, {},
                           [](const auto& pair) { return std::pair(pair.second, pair.first); });
  std::vector<ExampleBatch> batches(1);
  int64_t held = 0, number = 0;
  for (const auto& [source, target] : pairs) {
    if (held + target + 1 > tokens) batches.emplace_back(), held = 0;
    held += target + 1;
    batches.back().examples.push_back(
        {random_ids(random, source, vocabulary), random_ids(random, target, vocabulary)});
    batches.back().numbers.push_back(number++);
  }
  random.shuffle(batches);
  return batches;
}

}  // namespace calque
