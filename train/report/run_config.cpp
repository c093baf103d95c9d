#include "train/report/run_config.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "core/error.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

constexpr int deepest = 16;  // a limit, because an alias may refer to its own parent
constexpr size_t longest_value = 300;

std::string shortened(std::string text) {
  if (text.size() <= longest_value) return text;
  size_t end = longest_value;
  while (is_inside_character(text, end)) --end;
  return text.substr(0, end) + "...";
}

std::string text_of(const YAML::Node& node, int depth) {
  if (depth > deepest) return "...";
  if (node.IsScalar()) return node.Scalar();
  if (node.IsNull() || !node.IsDefined()) return "null";
  std::string items;
  for (const auto& item : node) {
    if (items.size() > longest_value) break;
    items += items.empty() ? "" : ", ";
    if (node.IsMap()) {
      items += text_of(item.first, depth + 1) + ": " + text_of(item.second, depth + 1);
    } else {
      items += text_of(item, depth + 1);
    }
  }
  return node.IsMap() ? "{" + items + "}" : "[" + items + "]";
}

void flatten(const YAML::Node& node, const std::string& path, int depth, FlatConfig& out) {
  if (!node.IsMap() || depth > deepest) {
    out.emplace_back(path, shortened(text_of(node, depth)));
    return;
  }
  for (const auto& item : node) {
    const std::string key = text_of(item.first, depth + 1);
    flatten(item.second, path.empty() ? key : fmt::format("{}.{}", path, key), depth + 1, out);
  }
}

}  // namespace

FlatConfig read_flat_config(const std::filesystem::path& file) {
  FlatConfig config;
  try {
    const YAML::Node root = YAML::LoadFile(file.string());
    if (root.IsMap()) flatten(root, "", 0, config);
  } catch (const YAML::Exception& error) {
    fail("{}:{}: not a readable config ({})", file.string(), error.mark.line + 1, error.msg);
  }
  return config;
}

std::vector<ConfigRow> compare_configs(const std::vector<const FlatConfig*>& configs) {
  std::vector<ConfigRow> rows;
  std::unordered_map<std::string, size_t> place;
  std::vector<std::vector<bool>> present;
  for (size_t run = 0; run < configs.size(); ++run) {
    for (const auto& [key, value] : *configs[run]) {
      const auto [found, is_new] = place.try_emplace(key, rows.size());
      if (is_new) {
        rows.push_back({key, std::vector<std::string>(configs.size()), false});
        present.emplace_back(configs.size());
      }
      rows[found->second].values[run] = value;
      present[found->second][run] = true;
    }
  }
  for (size_t row = 0; row < rows.size(); ++row) {
    std::optional<std::string> first;
    for (size_t run = 0; run < configs.size(); ++run) {
      if (configs[run]->empty()) continue;
      const std::string value = present[row][run] ? "=" + rows[row].values[run] : "absent";
      if (first && *first != value) rows[row].differs = true;
      first = first.value_or(value);
    }
  }
  return rows;
}

}  // namespace calque
