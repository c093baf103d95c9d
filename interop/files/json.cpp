#include "interop/files/json.h"

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "train/storage/durable_files.h"
#include "train/storage/strict_json.h"

namespace calque {

ForeignJson::ForeignJson(nlohmann::json object, std::string path)
    : json_(std::make_shared<const nlohmann::json>(std::move(object))), path_(std::move(path)) {
  if (!json_->is_object()) fail("{}: must be an object, {{...}}", path_);
}

ForeignJson ForeignJson::read(const std::string& path) {
  return parse(read_text(real_files(), path, largest_file), path);
}

ForeignJson ForeignJson::parse(std::string_view text, const std::string& path) {
  return {parse_json(text, path), path};
}

bool ForeignJson::has(std::string_view name) const { return find(name, false) != nullptr; }

int64_t ForeignJson::integer(std::string_view name, int64_t least, int64_t most,
                             std::optional<int64_t> fallback) const {
  const nlohmann::json* found = find(name, !fallback);
  if (!found) return *fallback;
  if (!is_int64(*found) || found->get<int64_t>() < least || found->get<int64_t>() > most) {
    refuse(name, fmt::format("must be a whole number from {} to {}", least, most));
  }
  return found->get<int64_t>();
}

double ForeignJson::number(std::string_view name, std::optional<double> fallback) const {
  const nlohmann::json* found = find(name, !fallback);
  if (!found) return *fallback;
  if (!found->is_number()) refuse(name, "must be a number");
  return found->get<double>();
}

bool ForeignJson::flag(std::string_view name, std::optional<bool> fallback) const {
  const nlohmann::json* found = find(name, !fallback);
  if (!found) return *fallback;
  if (!found->is_boolean()) refuse(name, "must be true or false");
  return found->get<bool>();
}

std::string ForeignJson::text(std::string_view name, std::optional<std::string> fallback) const {
  const nlohmann::json* found = find(name, !fallback);
  if (!found) return *fallback;
  if (!found->is_string()) refuse(name, "must be a text");
  return found->get<std::string>();
}

std::vector<int64_t> ForeignJson::integers(std::string_view name) const {
  return list<int64_t>(name, is_int64, "must be whole numbers");
}

std::vector<double> ForeignJson::numbers(std::string_view name) const {
  return list<double>(
      name, [](const nlohmann::json& each) { return each.is_number(); }, "must be numbers");
}

std::vector<std::string> ForeignJson::texts(std::string_view name) const {
  return list<std::string>(
      name, [](const nlohmann::json& each) { return each.is_string(); }, "must be texts");
}

template <class Value>
std::vector<Value> ForeignJson::list(std::string_view name, bool (*accepts)(const nlohmann::json&),
                                     std::string_view why) const {
  const nlohmann::json* found = find(name, false);
  if (!found) return {};
  std::vector<Value> values;
  for (const nlohmann::json& each : found->is_array() ? *found : nlohmann::json::array({*found})) {
    if (!accepts(each)) refuse(name, why);
    values.push_back(each.get<Value>());
  }
  return values;
}

void ForeignJson::refuse(std::string_view name, std::string_view why) const {
  fail("{}: {} {}", path_, name, why);
}

const nlohmann::json* ForeignJson::find(std::string_view name, bool required) const {
  const auto found = json_->find(name);
  if (found != json_->end() && !found->is_null()) return &*found;
  if (required) refuse(name, "is missing");
  return nullptr;
}

}  // namespace calque
