#include "decode/constraints/schema_scalars.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "decode/constraints/json_numbers.h"
#include "decode/constraints/json_text.h"
#include "decode/constraints/regular_expression.h"

namespace calque {
namespace {

constexpr int64_t largest_schema_count = 1'000'000;

std::optional<int64_t> count_of(const SchemaNode& node, const char* keyword) {
  if (!node.has(keyword)) return std::nullopt;
  const SchemaNode own = node.at(keyword);
  const double value = own.value->is_number() ? own.value->get<double>() : -1;
  if (value < 0 || std::floor(value) != value) own.refuse("must be a whole number");
  if (value > static_cast<double>(largest_schema_count)) {
    own.refuse("must be at most {}", largest_schema_count);
  }
  return static_cast<int64_t>(value);
}

struct Bound {
  int64_t value;
  bool open = false;  // whether the value itself is excluded
};

// The stricter of the keywords `closed` and `open`; `least` is its sign: 1 for a lower bound, -1
// for an upper one.
Bound bound_of(const SchemaNode& node, bool integer, int sign, const char* closed,
               const char* open) {
  Bound bound{-sign * largest_json_integer};
  const double largest = integer ? 1e15 : 1e6;  // fractions are exact to nine digits below
  for (const char* const name : {closed, open}) {
    if (!node.has(name)) continue;
    const SchemaNode own = node.at(name);
    if (!own.value->is_number()) own.refuse("must be a number");
    double value = own.value->get<double>();
    if (std::abs(value) > largest) own.refuse("must be between -{} and {}", largest, largest);
    bool excludes = name == open;
    const double whole = sign > 0 ? std::ceil(value) : std::floor(value);
    if (!integer && whole != value) own.refuse("must be an integer to be supported");
    if (integer && excludes && whole == value) value += sign;
    if (integer) excludes = false, value = sign > 0 ? std::ceil(value) : std::floor(value);
    const auto own_value = static_cast<int64_t>(value);
    if (own_value * sign > bound.value * sign || (own_value == bound.value && excludes)) {
      bound = {own_value, excludes};
    }
  }
  return bound;
}

}  // namespace

SchemaCounts schema_counts(const SchemaNode& node, const char* least, const char* most) {
  const SchemaCounts counts{count_of(node, least).value_or(0),
                            count_of(node, most).value_or(Pattern::unlimited)};
  if (counts.most != Pattern::unlimited && counts.most < counts.least) {
    node.at(most).refuse("is less than {}", least);
  }
  return counts;
}

Pattern schema_string(const SchemaNode& node) {
  const bool measured = node.has("minLength") || node.has("maxLength");
  if (measured + node.has("pattern") + node.has("format") > 1) {
    node.refuse("pattern, format, and lengths cannot be combined");
  }
  if (node.has("pattern")) {
    const SchemaNode pattern = node.at("pattern");
    if (!pattern.value->is_string()) pattern.refuse("must be a text");
    try {
      return json_string_of(regular_search(pattern.value->get<std::string>()));
    } catch (const Error& error) {
      pattern.refuse("{}", error.what());
    }
  }
  if (node.has("format")) {
    const SchemaNode format = node.at("format");
    auto known = format.value->is_string() ? json_string_format(format.value->get<std::string>())
                                           : std::nullopt;
    if (!known) format.refuse("only date, time, date-time and uuid are supported");
    return *std::move(known);
  }
  const auto [least, most] = schema_counts(node, "minLength", "maxLength");
  return json_string(least, most);
}

Pattern schema_number(const SchemaNode& node, bool integer) {
  const Bound least = bound_of(node, integer, 1, "minimum", "exclusiveMinimum");
  const Bound most = bound_of(node, integer, -1, "maximum", "exclusiveMaximum");
  const bool unbounded = least.value == -largest_json_integer && most.value == largest_json_integer;
  if (unbounded) return integer ? json_integer() : json_number();
  if (integer) return json_integer_between(least.value, most.value);
  return json_number_between({least.value, most.value, least.open, most.open});
}

}  // namespace calque
