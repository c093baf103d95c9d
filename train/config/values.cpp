// Types are strict: 12 is a number and "12" is text. A list of one text may be the text alone.
#include "train/config/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/error.h"
#include "core/parse_number.h"
#include "data/text/lowercase.h"
#include "train/config/nearest.h"

namespace calque {
namespace {

constexpr std::string_view any_text = "text";
constexpr std::string_view text_list = "a list of texts, [a, b]";

// YAML allows a leading +.
template <class Number>
std::optional<Number> number(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return parse_number<Number>(text);
}

bool is_plain_scalar(const YamlValue& value) {
  return value.kind == YamlValue::Kind::scalar && !value.quoted;
}

// Advice for 0,1, or nothing.
std::string decimal_point_advice(const YamlValue& value) {
  std::string text = value.scalar;
  const size_t comma = text.find(',');
  if (comma == text.npos) return "";
  text[comma] = '.';
  return number<double>(text) ? fmt::format(", with a decimal point ({})", text) : "";
}

// Advice for [0,9, 0,98], or nothing: four numbers where two are meant.
std::string decimal_points_advice(const YamlValue& list) {
  std::string numbers;
  if (list.items.size() != 4) return "";
  for (size_t i = 0; i < 4; ++i) {
    const YamlValue& item = list.items[i];
    const bool digits = item.scalar.find_first_not_of("0123456789") == std::string::npos;
    if (!is_plain_scalar(item) || item.scalar.empty() || !digits) return "";
    numbers += (i == 0 ? "" : i == 2 ? ", " : ".") + item.scalar;
  }
  return fmt::format(", with decimal points ([{}])", numbers);
}

template <class Number>
Number read_number(const YamlValue& from, std::string_view key, const Range& range) {
  const std::optional<Number> value =
      is_plain_scalar(from) ? number<Number>(from.scalar) : std::nullopt;
  if (!value || !std::isfinite(static_cast<double>(*value)) ||
      !range.contains(static_cast<double>(*value))) {
    refuse_value(from, key, allowed_values(range, Number{}) + decimal_point_advice(from));
  }
  return *value;
}

// Reads an amount with its unit. Adds the place and the key to an Error of `parse`.
template <class Parse>
auto read_amount(const YamlValue& from, std::string_view key, Parse parse) {
  try {
    return parse();
  } catch (const Error& error) {
    fail("{}: {}: {}", from.place.text(), key, error.what());
  }
}

std::string with_range(std::string_view type, const Range& range) {
  const std::string limits = range.text();
  return limits.empty() ? std::string(type) : fmt::format("{}, {}", type, limits);
}

template <class Items>
std::string flow_list(const Items& items) {
  std::string text = "[";
  for (const auto& item : items) text += (text.size() > 1 ? ", " : "") + write_value(item);
  return text + "]";
}

// YAML 1.1 reads 1e-05 as text; 1.0e-05 is a number everywhere.
std::string with_point(std::string number) {
  const size_t exponent = number.find('e');
  if (exponent != std::string::npos && number.find('.') == std::string::npos) {
    number.insert(exponent, ".0");
  }
  return number;
}

}  // namespace

bool Range::contains(double value) const {
  return (above ? value > least : value >= least) && (below ? value < most : value <= most);
}

std::string Range::text() const {
  const bool low = std::isfinite(least);
  const bool high = std::isfinite(most);
  const std::string from = above ? fmt::format("more than {}", least) : fmt::format("{}", least);
  if (low && !high) return above ? from : from + " or more";
  if (!low && high) return fmt::format("{} {}", below ? "less than" : "at most", most);
  if (!low) return "";
  return below || above ? fmt::format("{}{} and {} {}", above ? "" : "at least ", from,
                                      below ? "less than" : "at most", most)
                        : fmt::format("{} to {}", least, most);
}

void refuse_value(const YamlValue& value, std::string_view key, std::string_view allowed) {
  const bool needless_quotes = value.kind == YamlValue::Kind::scalar && value.quoted;
  fail("{}: {}: must be {}, not {}{}", value.place.text(), key, allowed, description(value),
       needless_quotes ? " in quotes" : "");
}

void read_value(const YamlValue& from, std::string_view key, const Range& range, int64_t& to) {
  to = read_number<int64_t>(from, key, range);
}

void read_value(const YamlValue& from, std::string_view key, const Range& range, double& to) {
  to = read_number<double>(from, key, range);
}

void read_value(const YamlValue& from, std::string_view key, const Range& range, float& to) {
  to = static_cast<float>(read_number<double>(from, key, range));
}

void read_value(const YamlValue& from, std::string_view key, const Range& range,
                std::array<double, 2>& to) {
  if (from.kind != YamlValue::Kind::list || from.items.size() != to.size()) {
    refuse_value(from, key, allowed_values(range, to) + decimal_points_advice(from));
  }
  for (size_t i = 0; i < to.size(); ++i) {
    to[i] = read_number<double>(from.items[i], key, range);
  }
}

void read_value(const YamlValue& from, std::string_view key, const Range& range, bool& to) {
  constexpr std::string_view words[] = {"true", "yes", "on", "false", "no", "off"};
  const std::string word = ascii_lowercase(from.scalar);
  const auto found = std::find(std::begin(words), std::end(words), word);
  if (!is_plain_scalar(from) || found == std::end(words)) {
    refuse_value(from, key, allowed_values(range, to));
  }
  to = found - std::begin(words) < 3;
}

void read_value(const YamlValue& from, std::string_view key, const Range&, std::string& to) {
  if (from.kind != YamlValue::Kind::scalar) refuse_value(from, key, any_text);
  to = from.scalar;
}

void read_value(const YamlValue& from, std::string_view key, const Range& range,
                std::vector<std::string>& to) {
  std::vector<std::string> texts;
  if (from.kind == YamlValue::Kind::scalar) {
    texts.push_back(from.scalar);
  } else if (from.kind == YamlValue::Kind::list) {
    for (const YamlValue& item : from.items) read_value(item, key, range, texts.emplace_back());
  } else {
    refuse_value(from, key, text_list);
  }
  to = std::move(texts);
}

void read_value(const YamlValue& from, std::string_view key, const Range& range, Until& to) {
  std::vector<std::string> limits;
  read_value(from, key, range, limits);
  to = read_amount(from, key, [&] { return parse_until(limits); });
}

void read_value(const YamlValue& from, std::string_view key, const Range& range, Interval& to) {
  std::string text;
  read_value(from, key, range, text);
  to = read_amount(from, key, [&] { return parse_interval(text); });
}

void read_value(const YamlValue& from, std::string_view key, const Range& range, Bytes& to) {
  std::string text;
  read_value(from, key, range, text);
  to = read_amount(from, key, [&] { return parse_bytes(text); });
}

std::string write_value(int64_t value) { return fmt::format("{}", value); }
std::string write_value(double value) { return with_point(fmt::format("{}", value)); }
std::string write_value(float value) { return with_point(fmt::format("{}", value)); }
std::string write_value(bool value) { return value ? "true" : "false"; }
std::string write_value(const std::string& value) { return yaml_scalar(value); }
std::string write_value(const std::array<double, 2>& value) { return flow_list(value); }
std::string write_value(const std::vector<std::string>& value) { return flow_list(value); }

std::string allowed_values(const Range& range, int64_t) {
  return with_range("a whole number", range);
}
std::string allowed_values(const Range& range, double) { return with_range("a number", range); }
std::string allowed_values(const Range& range, const std::array<double, 2>&) {
  return with_range("a list of two numbers", range);
}
std::string allowed_values(const Range&, bool) { return "true or false"; }
std::string allowed_values(const Range&, const std::string&) { return std::string(any_text); }
std::string allowed_values(const Range&, const std::vector<std::string>&) {
  return std::string(text_list);
}
std::string allowed_values(const Range&, const Until&) {
  return "limits such as 8000u, 20e, 100Mt, 45min";
}
std::string allowed_values(const Range&, const Interval&) {
  return "500u (updates), 1e (epochs) or never";
}
std::string allowed_values(const Range&, const Bytes&) { return "a size such as 2GB, or 0"; }

std::string_view read_word(const YamlValue& from, std::string_view key,
                           const std::vector<std::string_view>& words) {
  const std::string_view given =
      from.kind == YamlValue::Kind::nothing ? "none" : std::string_view(from.scalar);
  const auto found = std::ranges::find(words, given);
  const bool one_word =
      from.kind == YamlValue::Kind::nothing || from.kind == YamlValue::Kind::scalar;
  if (one_word && found != words.end()) return *found;
  const std::string near = nearest(from.scalar, words);
  refuse_value(from, key,
               allowed_words(words) + (near.empty() ? "" : fmt::format(" (nearest: {})", near)));
}

std::string allowed_words(const std::vector<std::string_view>& words) {
  return fmt::format("one of {}", fmt::join(words, ", "));
}

}  // namespace calque
