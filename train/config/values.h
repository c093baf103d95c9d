#pragma once
// How each type of setting is read from YAML, written back, and described: one overload a type,
// which the schema picks by the member that a key is bound to. Reading throws Error with the key,
// what is allowed and what was found; numbers are read the same under every locale.

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "train/config/config.h"
#include "train/config/yaml.h"

namespace calque {

// What a number may be. `above` and `below` are excluded themselves, `least` and `most` are not.
struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool above = false;
  bool below = false;

  bool contains(double value) const;
  std::string text() const;  // "1 to 100", "more than 0"; empty for any number
};

constexpr Range at_least(double least) { return {.least = least}; }
constexpr Range between(double least, double most) { return {.least = least, .most = most}; }
constexpr Range positive() { return {.least = 0, .above = true}; }
// Of probabilities to be left out: as a float, too, it is less than 1.
constexpr Range dropped() { return {.least = 0, .most = 0.99}; }
constexpr Range fraction() { return {.least = 0, .most = 1, .below = true}; }  // [0, 1)

// "<place>: <key>: must be <allowed>, not <what stands there>"
[[noreturn]] void refuse_value(const YamlValue& value, std::string_view key,
                               std::string_view allowed);

void read_value(const YamlValue& from, std::string_view key, const Range& range, int64_t& to);
void read_value(const YamlValue& from, std::string_view key, const Range& range, double& to);
void read_value(const YamlValue& from, std::string_view key, const Range& range,
                std::array<double, 2>& to);
void read_value(const YamlValue& from, std::string_view key, const Range&, bool& to);
void read_value(const YamlValue& from, std::string_view key, const Range&, std::string& to);
void read_value(const YamlValue& from, std::string_view key, const Range&,
                std::vector<std::string>& to);
void read_value(const YamlValue& from, std::string_view key, const Range&, Until& to);
void read_value(const YamlValue& from, std::string_view key, const Range&, Interval& to);
void read_value(const YamlValue& from, std::string_view key, const Range&, Bytes& to);

// As a YAML value on one line.
std::string write_value(int64_t value);
std::string write_value(double value);
std::string write_value(bool value);
std::string write_value(const std::string& value);
std::string write_value(const std::array<double, 2>& value);
std::string write_value(const std::vector<std::string>& value);
std::string write_value(const Until& value);
std::string write_value(const Interval& value);
std::string write_value(const Bytes& value);

// What may stand there, for messages and the documentation: "a whole number, 1 or more".
std::string allowed_values(const Range& range, int64_t);
std::string allowed_values(const Range& range, double);
std::string allowed_values(const Range& range, const std::array<double, 2>&);
std::string allowed_values(const Range&, bool);
std::string allowed_values(const Range&, const std::string&);
std::string allowed_values(const Range&, const std::vector<std::string>&);
std::string allowed_values(const Range&, const Until&);
std::string allowed_values(const Range&, const Interval&);
std::string allowed_values(const Range&, const Bytes&);

// Choices: an enum with its names in choices(Enum).
template <class Enum>
concept Choice = requires(Enum value) {
  choices(value);
};

size_t read_choice(const YamlValue& from, std::string_view key,
                   std::span<const std::string_view> names);
std::string allowed_choices(std::span<const std::string_view> names);

template <Choice Enum>
void read_value(const YamlValue& from, std::string_view key, const Range&, Enum& to) {
  constexpr auto names = choices(Enum{});
  to = static_cast<Enum>(read_choice(from, key, names));
}

template <Choice Enum>
std::string write_value(Enum value) {
  return std::string(choices(value)[static_cast<size_t>(value)]);
}

template <Choice Enum>
std::string allowed_values(const Range&, Enum) {
  constexpr auto names = choices(Enum{});
  return allowed_choices(names);
}

}  // namespace calque
