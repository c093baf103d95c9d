#include "data/cleaning/facts.h"

#include <algorithm>
#include <string>
#include <vector>

#include "data/text/regex.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

// The zeros of decimal digits in use; each is followed by the digits 1 to 9.
constexpr char32_t zeros[] = {'0',   0x660, 0x6F0, 0x966, 0x9E6, 0xA66, 0xAE6,  0xB66,  0xBE6,
                              0xC66, 0xCE6, 0xD66, 0xE50, 0xED0, 0xF20, 0x1040, 0x17E0, 0xFF10};

// 0 to 9, or -1.
int digit_of(char32_t point) {
  for (const char32_t zero : zeros) {
    if (point >= zero && point < zero + 10) return static_cast<int>(point - zero);
  }
  return -1;
}

bool is_separator(char32_t point) {
  constexpr std::u32string_view separators = U".,:' \u00a0\u2009\u202f\u066b\u066c";
  return separators.find(point) != separators.npos;
}

// The digits of each number without its separators, sorted. A separator is a single character
// between two digits.
std::vector<std::string> numbers_of(std::string_view text) {
  std::vector<std::string> numbers;
  std::string number;
  bool after_separator = false;
  const auto end_number = [&] {
    if (!number.empty()) numbers.push_back(std::move(number));
    number.clear();
  };
  for (size_t at = 0; at < text.size();) {
    const char32_t point = next_code_point(text, at);
    if (const int digit = digit_of(point); digit >= 0) {
      if (digit > 0 || !number.empty()) number += static_cast<char>('0' + digit);
      after_separator = false;
    } else if (!after_separator && is_separator(point)) {
      after_separator = true;
    } else {
      end_number();
      after_separator = false;
    }
  }
  end_number();
  std::ranges::sort(numbers);
  return numbers;
}

bool is_small(const std::string& number) {
  return number.size() < 2 || (number.size() == 2 && number <= "12");
}

// How many of these numbers are large, and how many of those the others lack.
struct Missing {
  int64_t large = 0, missing = 0;
};

Missing missing_of(const std::vector<std::string>& numbers,
                   const std::vector<std::string>& others) {
  Missing result;
  for (const std::string& number : numbers) {
    if (is_small(number)) continue;
    ++result.large;
    result.missing += !std::ranges::binary_search(others, number);
  }
  return result;
}

std::vector<std::string_view> urls_of(std::string_view text) {
  static const Regex pattern(R"((?:https?://|www\.)[^\s<>"']*[\w/])");
  std::vector<std::string_view> urls;
  if (text.find("http") == text.npos && text.find("www.") == text.npos) return urls;
  auto match = pattern.find(text);
  while (match) {
    urls.push_back(text.substr(match->begin, match->end - match->begin));
    match = pattern.find(text, match->end);
  }
  std::ranges::sort(urls);
  return urls;
}

}  // namespace

bool numbers_differ(std::string_view source, std::string_view target) {
  const std::vector<std::string> here = numbers_of(source);
  if (here.empty()) return false;
  const std::vector<std::string> there = numbers_of(target);
  if (there.empty()) return false;
  for (const Missing& side : {missing_of(here, there), missing_of(there, here)}) {
    if (2 * side.missing > side.large) return true;
  }
  return false;
}

bool urls_differ(std::string_view source, std::string_view target) {
  return urls_of(source) != urls_of(target);
}

}  // namespace calque
