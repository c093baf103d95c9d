#pragma once
// A YAML file as a tree of values that know their lines. Only what a config needs is read: maps,
// lists and scalars, no anchors, tags or second documents; so the tree is never larger than the
// text, and every mistake can be reported as "file:line: what is wrong".

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace calque {

// Where a value stands: "toy.yaml:12", or "--set training.seed=2" for the command line.
struct Place {
  std::shared_ptr<const std::string> file;
  int line = 0;  // from 1; 0 where there are no lines

  std::string text() const;
};

struct YamlEntry;

struct YamlValue {
  enum class Kind { nothing, scalar, list, map };
  Kind kind = Kind::nothing;
  Place place;
  std::string scalar;
  bool quoted = false;  // "12" in quotes is text, 12 without is a number
  std::vector<YamlValue> items;
  std::vector<YamlEntry> entries;  // in the order of the file; no key stands twice
};

struct YamlEntry {
  std::string key;
  Place place;
  YamlValue value;
};

// The value as a short word for messages: 'abc', a list, a map, nothing.
std::string description(const YamlValue& value);

// Throws Error naming `name` and the line.
YamlValue parse_yaml(std::string_view text, const std::string& name);

// A value given on the command line: as parse_yaml, but messages name `place` alone.
YamlValue parse_yaml_argument(std::string_view text, const std::string& place);

// `text` as a YAML scalar, in quotes where it needs them.
std::string yaml_scalar(std::string_view text);

}  // namespace calque
