#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace calque {

// Parses the whole of `text` as a number. Returns nothing if it is not a number or does not fit
// Number.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  return problem == std::errc() && rest == end ? std::optional(value) : std::nullopt;
}

}  // namespace calque
