#pragma once
// A struct as the value of one key: a small map with keys of its own, "{count: 8, active: 2}".

#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "train/config/schema.h"

namespace calque {

// `example` shows a map in errors. Keys that the map lacks get their defaults.
template <class Struct>
Struct read_map(const YamlValue& from, std::string_view key, const std::vector<Key<Struct>>& keys,
                std::string_view example) {
  if (from.kind != YamlValue::Kind::map) refuse_value(from, key, example);
  Struct to;
  for (const YamlEntry& entry : from.entries) {
    const auto known = std::ranges::find(keys, entry.key, &Key<Struct>::name);
    if (known == keys.end()) {
      std::vector<std::string> names;
      for (const Key<Struct>& name : keys) names.push_back(name.name);
      fail("{}: {}.{}: unknown key; it has {}", entry.place.text(), key, entry.key,
           fmt::join(names, ", "));
    }
    known->read(entry.value, to);
  }
  return to;
}

template <class Struct>
std::string write_map(const Struct& from, const std::vector<Key<Struct>>& keys) {
  std::string text;
  for (const Key<Struct>& key : keys) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", key.name, key.write(from));
  }
  return "{" + text + "}";
}

}  // namespace calque
