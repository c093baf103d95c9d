#include "data/toy/listops.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/error.h"

namespace calque {
namespace {

constexpr std::array<std::string_view, 4> operations{"[MIN", "[MAX", "[MED", "[SM"};
constexpr int most_depth = 10, most_arguments = 10;
constexpr int64_t least_symbols = 4;  // an operation on two digits
constexpr int attempts = 1'000'000;

int value_of(uint64_t operation, std::vector<int> arguments) {
  std::ranges::sort(arguments);
  const size_t half = arguments.size() / 2;
  if (operation == 0) return arguments.front();
  if (operation == 1) return arguments.back();
  if (operation == 3) return std::accumulate(arguments.begin(), arguments.end(), 0) % 10;
  return arguments.size() % 2 == 1 ? arguments[half] : (arguments[half - 1] + arguments[half]) / 2;
}

// Of the pairs of an outermost operation and its number of arguments, one in twelve is held out.
bool held_out_operation(uint64_t operation, uint64_t arguments) {
  return (5 * arguments + 3 * operation) % 12 == 0;
}

struct Expression {
  std::string text;
  int64_t symbols = 0;
  bool unseen = false;
};

// Appends an operation and returns its value; stops once there are too many symbols.
int write_operation(Random& random, int depth, int64_t most_symbols, Expression& to) {
  const uint64_t operation = random.below(operations.size());
  const uint64_t count = 2 + random.below(most_arguments - 1);
  if (depth == 1) to.unseen = held_out_operation(operation, count);
  (to.text += to.text.empty() ? "" : " ") += operations[operation];
  to.symbols += 2;
  std::vector<int> arguments;
  while (arguments.size() < count && to.symbols <= most_symbols) {
    if (depth < most_depth && random.below(4) == 0) {
      arguments.push_back(write_operation(random, depth + 1, most_symbols, to));
    } else {
      arguments.push_back(static_cast<int>(random.below(10)));
      to.text += " " + std::to_string(arguments.back());
      ++to.symbols;
    }
  }
  if (to.symbols > most_symbols) return 0;
  to.text += " ]";
  return value_of(operation, std::move(arguments));
}

ToyLanguage::Draft draw_expression(const SymbolOptions& options, Random& random) {
  for (int attempt = 0; attempt < attempts; ++attempt) {
    Expression drawn;
    const int value = write_operation(random, 1, options.longest, drawn);
    if (drawn.symbols < options.shortest || drawn.symbols > options.longest) continue;
    return {.pair = {std::move(drawn.text), std::to_string(value)}, .unseen = drawn.unseen};
  }
  fail("listops: found no expression of {} to {} symbols; widen the range", options.shortest,
       options.longest);
}

}  // namespace

ToyLanguage listops(const SymbolOptions& options) {
  constexpr int64_t most_symbols = 2000;
  if (options.longest < std::max(options.shortest, least_symbols) ||
      options.longest > most_symbols) {
    fail(
        "listops: lengths from {} to {}, but shortest <= longest and {} <= longest <= {} is needed",
        options.shortest, options.longest, least_symbols, most_symbols);
  }
  // A lower bound: the expressions of one operation on digits.
  const auto digits = std::min<int64_t>(options.longest - 2, most_arguments);
  const double count = double(operations.size()) * std::pow(10.0, double(digits));
  return ToyLanguage::from_drafts(
      "listops", count, [options](Random& random) { return draw_expression(options, random); });
}

}  // namespace calque
