#include "data/toy/symbols.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace calque {
namespace {

// a, b, ... z, a1, b1, ...
std::string symbol_name(int64_t symbol) {
  std::string name(1, static_cast<char>('a' + symbol % 26));
  if (symbol >= 26) name += std::to_string(symbol / 26);
  return name;
}

std::string spell(const std::vector<int64_t>& line) {
  std::string text;
  for (const int64_t symbol : line) text += (text.empty() ? "" : " ") + symbol_name(symbol);
  return text;
}

bool held_out(int64_t left, int64_t right) {
  return hash_text(symbol_name(left) + " " + symbol_name(right)) % 50 == 0;
}

}  // namespace

ToyLanguage::Draft draw_symbols(SymbolTask task, const SymbolOptions& options, Random& random) {
  const auto lengths = static_cast<uint64_t>(options.longest - options.shortest + 1);
  const auto length = static_cast<size_t>(options.shortest) + random.below(lengths);
  std::vector<int64_t> line(length);
  for (int64_t& symbol : line) {
    symbol = static_cast<int64_t>(random.below(options.symbols));
  }
  ToyLanguage::Draft draft;
  draft.pair.first = spell(line);
  for (size_t i = 1; i < length; ++i) {
    draft.unseen = draft.unseen || held_out(line[i - 1], line[i]);
  }
  if (task == SymbolTask::reverse) std::reverse(line.begin(), line.end());
  if (task == SymbolTask::sort) std::sort(line.begin(), line.end());
  draft.pair.second = spell(line);
  return draft;
}

double count_symbols(const SymbolOptions& options) {
  double sum = 0;
  for (int64_t length = options.shortest; length <= options.longest; ++length) {
    sum += std::pow(static_cast<double>(options.symbols), static_cast<double>(length));
  }
  return sum;
}

}  // namespace calque
