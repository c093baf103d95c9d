#include "lengths.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/error.h"
#include "core/random.h"

namespace calque {
namespace {

std::ifstream opened(const std::string& path) {
  std::ifstream file(path);
  if (!file) fail("{}: cannot be read", path);
  return file;
}

int32_t words_in(const std::string& line) {
  std::istringstream text(line);
  int32_t count = 0;
  for (std::string word; text >> word;) ++count;
  return count;
}

std::vector<int32_t> random_ids(Random& random, int32_t count, int32_t vocabulary) {
  std::vector<int32_t> ids(static_cast<size_t>(count));
  for (int32_t& id : ids) {
    id = 3 + static_cast<int32_t>(random.below(static_cast<uint64_t>(vocabulary - 3)));
  }
  return ids;
}

}  // namespace

PairLengths lengths_of_table(const std::string& path) {
  std::ifstream file = opened(path);
  PairLengths pairs;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    int32_t source = 0, target = 0, count = 0;
    if (line.starts_with('#') || !(fields >> source >> target >> count)) continue;
    pairs.insert(pairs.end(), static_cast<size_t>(count), {source, target});
  }
  return pairs;
}

PairLengths lengths_of_corpus(const std::string& source, const std::string& target) {
  std::ifstream s = opened(source), t = opened(target);
  PairLengths pairs;
  for (std::string a, b; std::getline(s, a) && std::getline(t, b);) {
    const int32_t n = words_in(a), m = words_in(b);
    if (n > 0 && m > 0) pairs.emplace_back(n, m);
  }
  return pairs;
}

std::vector<PairBatch> make_batches(PairLengths pairs, int64_t tokens, int32_t vocabulary,
                                    uint64_t seed) {
  Random random({.seed = seed});
  random.shuffle(pairs);
  std::ranges::stable_sort(pairs, {},
                           [](const auto& pair) { return std::pair(pair.second, pair.first); });
  std::vector<PairBatch> batches(1);
  for (const auto& [source, target] : pairs) {
    if (batches.back().target_segments.tokens() + target + 1 > tokens) batches.emplace_back();
    append_pair(random_ids(random, source, vocabulary), random_ids(random, target, vocabulary),
                batches.back());
  }
  random.shuffle(batches);
  return batches;
}

}  // namespace calque
