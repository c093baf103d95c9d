#include "decode/constraints/json_numbers.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/error.h"
#include "decode/constraints/regular_expression.h"

namespace calque {
namespace {

Pattern digit(char first, char last) {
  return Pattern::one_of({{static_cast<char32_t>(first), static_cast<char32_t>(last)}});
}

// The numbers from `least` to `most`, which have equally many digits.
Pattern digits_between(const std::string& least, const std::string& most) {
  if (least.empty()) return Pattern::text("");
  const auto any = [](size_t size) {
    const auto count = static_cast<int64_t>(size);
    return Pattern::repeat(digit('0', '9'), count, count);
  };
  const size_t rest = least.size() - 1;
  const std::string zeros(rest, '0'), nines(rest, '9');
  const char low = least[0], high = most[0];
  if (least == '0' + zeros && most == '9' + nines) return any(rest + 1);
  if (low == high) {
    return Pattern::sequence({digit(low, low), digits_between(least.substr(1), most.substr(1))});
  }
  std::vector<Pattern> ways;
  ways.push_back(Pattern::sequence({digit(low, low), digits_between(least.substr(1), nines)}));
  if (high - low > 1) {
    ways.push_back(Pattern::sequence(
        {digit(static_cast<char>(low + 1), static_cast<char>(high - 1)), any(rest)}));
  }
  ways.push_back(Pattern::sequence({digit(high, high), digits_between(zeros, most.substr(1))}));
  return Pattern::choice(std::move(ways));
}

// The numbers from `least` to `most`, which are not negative, without leading zeros.
Pattern natural_between(int64_t least, int64_t most) {
  std::vector<Pattern> ways;
  for (int64_t first = least; first <= most;) {
    const std::string digits = std::to_string(first);
    const int64_t last = std::min<int64_t>(most, std::stoll(std::string(digits.size(), '9')));
    ways.push_back(digits_between(digits, std::to_string(last)));
    first = last + 1;
  }
  return Pattern::choice(std::move(ways));
}

// A point and at most nine digits, not all of them zeros.
Pattern nonzero_fraction() {
  std::vector<Pattern> ways;
  for (int64_t zeros = 0; zeros < 9; ++zeros) {
    ways.push_back(
        Pattern::sequence({Pattern::repeat(digit('0', '0'), zeros, zeros), digit('1', '9'),
                           Pattern::repeat(digit('0', '9'), 0, 8 - zeros)}));
  }
  return Pattern::sequence({Pattern::text("."), Pattern::choice(std::move(ways))});
}

// Numbers with fractions of a range that is not negative.
Pattern decimal_between(const NumberRange& range) {
  const auto [least, most, without_least, without_most] = range;
  const auto zeros = [] { return Pattern::optional(regular_expression(R"(\.0{1,9})")); };
  std::vector<Pattern> ways;
  if (least == most && (without_least || without_most)) return Pattern::choice({});
  if (!without_most) ways.push_back(Pattern::sequence({natural_between(most, most), zeros()}));
  if (least == most) return Pattern::choice(std::move(ways));
  if (!without_least) ways.push_back(Pattern::sequence({natural_between(least, least), zeros()}));
  ways.push_back(Pattern::sequence({natural_between(least, least), nonzero_fraction()}));
  ways.push_back(Pattern::sequence({natural_between(least + 1, most - 1),
                                    Pattern::optional(regular_expression(R"(\.\d{1,9})"))}));
  return Pattern::choice(std::move(ways));
}

Pattern negative(Pattern number) {
  return Pattern::sequence({Pattern::text("-"), std::move(number)});
}

}  // namespace

Pattern json_integer() { return regular_expression(R"(-?(0|[1-9]\d{0,17}))"); }

Pattern json_number() {
  return Pattern::sequence({json_integer(), Pattern::optional(regular_expression(R"(\.\d{1,17})")),
                            Pattern::optional(regular_expression(R"([eE][+-]?\d{1,2})"))});
}

Pattern json_integer_between(int64_t least, int64_t most) {
  std::vector<Pattern> ways;
  if (most >= 0) ways.push_back(natural_between(std::max<int64_t>(least, 0), most));
  if (least < 0) ways.push_back(negative(natural_between(std::max<int64_t>(-most, 1), -least)));
  return Pattern::choice(std::move(ways));
}

Pattern json_number_between(const NumberRange& range) {
  std::vector<Pattern> ways;
  const auto [least, most, without_least, without_most] = range;
  if (least > most) return Pattern::choice({});
  if (most >= 0) {
    ways.push_back(decimal_between(
        {std::max<int64_t>(least, 0), most, without_least && least >= 0, without_most}));
  }
  if (least < 0) {
    ways.push_back(negative(decimal_between(
        {std::max<int64_t>(-most, 0), -least, without_most && most <= 0, without_least})));
  }
  return Pattern::choice(std::move(ways));
}

}  // namespace calque
