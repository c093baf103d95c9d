#pragma once
// A YAML file as a tree of values with their line numbers. Only maps, lists and scalars are
// supported, without anchors, tags or second documents, so the tree is never larger than the text.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace calque {

// The place of a value: "toy.yaml:12", or "--set training.seed=2" on the command line.
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
  std::vector<YamlEntry> entries;  // in the order of the file, without repeated keys
};

struct YamlEntry {
  std::string key;
  Place place;
  YamlValue value;
};

// The value as messages describe it: 'abc', a list, a map, nothing.
std::string description(const YamlValue& value);

// Throws an Error that names `name` and the line.
YamlValue parse_yaml(std::string_view text, const std::string& name);

// The same for a value on the command line; messages name `place`.
YamlValue parse_yaml_argument(std::string_view text, const std::string& place);

// `text` as a YAML scalar, in quotes where it needs them.
std::string yaml_scalar(std::string_view text);

}  // namespace calque
