#pragma once
// How each type of setting is read from YAML, written and described: one overload per type. Reading
// throws an Error that names the key, the allowed values and the value found. The locale does not
// affect how numbers are read.

#include <algorithm>
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

// The allowed numbers: from `least` to `most`. `above` excludes `least`, and `below` excludes
// `most`.
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
// For dropout probabilities: less than 1, also after rounding to float.
constexpr Range dropped() { return {.least = 0, .most = 0.99}; }
constexpr Range fraction() { return {.least = 0, .most = 1, .below = true}; }  // [0, 1)

// Throws "<place>: <key>: must be <allowed>, not <the value>".
[[noreturn]] void refuse_value(const YamlValue& value, std::string_view key,
                               std::string_view allowed);

void read_value(const YamlValue& from, std::string_view key, const Range& range, int64_t& to);
void read_value(const YamlValue& from, std::string_view key, const Range& range, double& to);
void read_value(const YamlValue& from, std::string_view key, const Range& range, float& to);
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
std::string write_value(float value);
std::string write_value(bool value);
std::string write_value(const std::string& value);
std::string write_value(const std::array<double, 2>& value);
std::string write_value(const std::vector<std::string>& value);
inline std::string write_value(const Until& value) { return to_text(value); }
inline std::string write_value(const Interval& value) { return to_text(value); }
inline std::string write_value(const Bytes& value) { return to_text(value); }

// Describes the allowed values for messages and the documentation: "a whole number, 1 or more".
std::string allowed_values(const Range& range, int64_t);
std::string allowed_values(const Range& range, double);
std::string allowed_values(const Range& range, const std::array<double, 2>&);
std::string allowed_values(const Range&, bool);
std::string allowed_values(const Range&, const std::string&);
std::string allowed_values(const Range&, const std::vector<std::string>&);
std::string allowed_values(const Range&, const Until&);
std::string allowed_values(const Range&, const Interval&);
std::string allowed_values(const Range&, const Bytes&);

// Returns the value, which must be one of `words`.
std::string_view read_word(const YamlValue& from, std::string_view key,
                           const std::vector<std::string_view>& words);
std::string allowed_words(const std::vector<std::string_view>& words);

// Reads, writes and describes the choices of an enum, as read_value, write_value and allowed_values
// do for other types.
template <class Choice>
class Choices {
 public:
  template <size_t count>
  explicit Choices(const Named<Choice> (&names)[count]) : names_(names) {
    for (const Named<Choice>& named : names) words_.push_back(named.name);
  }

  void read(const YamlValue& from, std::string_view key, Choice& to) const {
    const std::string_view word = read_word(from, key, words_);
    to = std::ranges::find(names_, word, &Named<Choice>::name)->choice;
  }
  std::string write(Choice choice) const { return std::string(name_of(names_, choice)); }
  std::string allowed() const { return allowed_words(words_); }

 private:
  std::span<const Named<Choice>> names_;
  std::vector<std::string_view> words_;
};

}  // namespace calque
