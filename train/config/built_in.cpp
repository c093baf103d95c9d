#include "train/config/built_in.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "train/config/nearest.h"

namespace calque {

const BuiltInConfig* find_built_in_config(std::string_view name) {
  const auto found = std::ranges::find(built_in_configs, name, &BuiltInConfig::name);
  return found == built_in_configs.end() ? nullptr : &*found;
}

std::string config_summary(std::string_view text) {
  std::string comment;
  while (text.starts_with("# ")) {
    const size_t end = std::min(text.find('\n'), text.size());
    comment += comment.empty() ? "" : " ";
    comment += text.substr(2, end - 2);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  size_t end = comment.find(". ");
  if (end != comment.npos && comment[end + 2] == '(')
    end = comment.find(". ", end + 1);  // et al. (2015)
  return comment.substr(0, std::min(end, comment.find_last_not_of(".:") + 1));
}

std::string similar_built_in_configs(std::string_view name) {
  std::vector<std::string_view> names;
  std::string similar;
  for (const BuiltInConfig& config : built_in_configs) {
    names.push_back(config.name);
    if (name.empty() || !config.name.starts_with(name)) continue;
    similar += fmt::format("{}{}", similar.empty() ? "" : ", ", config.name);
  }
  return similar.empty() ? nearest(name, names) : similar;
}

}  // namespace calque
