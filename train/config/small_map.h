#pragma once
// A value that is a map with a table of keys of its own, such as model.experts.
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "train/config/schema.h"

namespace calque {

// Reads every entry of a map into `to`. Throws an Error for a key that the table lacks, and for a
// key that has no effect with the others.
template <class Owner>
void read_small_map(const YamlValue& from, std::string_view key,
                    const std::vector<Key<Owner>>& table, Owner& to) {
  for (const YamlEntry& entry : from.entries) {
    const auto known = std::ranges::find(table, entry.key, &Key<Owner>::name);
    if (known == table.end()) {
      std::vector<std::string> names;
      for (const Key<Owner>& name : table) names.push_back(name.name);
      fail("{}: {}.{}: unknown key; it has {}", entry.place.text(), key, entry.key,
           fmt::join(names, ", "));
    }
    known->read(entry.value, to);
  }
  for (const YamlEntry& entry : from.entries) {
    const auto known = std::ranges::find(table, entry.key, &Key<Owner>::name);
    const std::string reason = known->idle(to);
    if (!reason.empty()) fail("{}: {}.{}: {}", entry.place.text(), key, entry.key, reason);
  }
}

template <class Owner>
std::string write_small_map(const std::vector<Key<Owner>>& table, const Owner& value) {
  std::string text;
  for (const Key<Owner>& key : table) {
    if (!key.idle(value).empty()) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", key.name, key.write(value));
  }
  return "{" + text + "}";
}

}  // namespace calque
