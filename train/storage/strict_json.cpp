#include "train/storage/strict_json.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "train/storage/durable_files.h"

namespace calque {

using Json = nlohmann::json;

Json parse_json(std::string_view text, const std::string& path) {
  // The parser would take a zero byte as the end of its input.
  if (text.find('\0') != text.npos) fail("{}: a zero byte in its text", path);
  std::vector<std::set<std::string>> open;  // the names in each object that is not yet closed
  const auto check = [&](int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > 8) fail("{}: nested too deeply", path);
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key &&
        !open.back().insert(parsed.get<std::string>()).second) {
      fail("{}: \"{}\" occurs twice", path, printable(parsed.get<std::string>()));
    }
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), check);
  } catch (const Json::parse_error& error) {
    fail("{}: not valid JSON at byte {}", path, error.byte);
  } catch (const Json::out_of_range&) {
    fail("{}: a number in it is too large", path);
  }
}

nlohmann::ordered_json json_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

bool is_int64(const Json& value) {
  return value.is_number_integer() &&
         (!value.is_number_unsigned() || value.get<uint64_t>() <= uint64_t{INT64_MAX});
}

JsonObject::JsonObject(const Json& json, std::string path, std::string place)
    : json_(&json), path_(std::move(path)), place_(std::move(place)) {
  if (!json.is_object()) {
    fail("{}: {} must be an object", path_, place_.empty() ? "it" : printable(place_));
  }
}

int64_t JsonObject::integer(const std::string& name, int64_t least) {
  const Json& json = value(name);
  if (!is_int64(json) || json.get<int64_t>() < least) {
    refuse(name, fmt::format("must be a whole number of at least {}", least));
  }
  return json.get<int64_t>();
}

uint64_t JsonObject::bits(const std::string& name) {
  const Json& json = value(name);
  if (!json.is_number_unsigned()) refuse(name, "must be a whole number from 0 to 2^64 - 1");
  return json.get<uint64_t>();
}

double JsonObject::number(const std::string& name) {
  const Json& json = value(name);
  if (json.is_number()) return json.get<double>();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (json == "inf") return infinity;
  if (json == "-inf") return -infinity;
  refuse(name, "must be a number, or \"nan\", \"inf\" or \"-inf\"");
}

bool JsonObject::flag(const std::string& name) {
  const Json& json = value(name);
  if (!json.is_boolean()) refuse(name, "must be true or false");
  return json.get<bool>();
}

std::string JsonObject::text(const std::string& name) {
  const Json& json = value(name);
  if (!json.is_string()) refuse(name, "must be a text");
  return json.get<std::string>();
}

JsonObject JsonObject::object(const std::string& name) {
  return {value(name), path_, place_ + name + "."};
}

std::vector<JsonObject> JsonObject::objects(const std::string& name) {
  const Json& json = value(name);
  if (!json.is_array()) refuse(name, "must be a list");
  std::vector<JsonObject> list;
  for (const Json& element : json) {
    list.emplace_back(element, path_, fmt::format("{}{}[{}].", place_, name, list.size()));
  }
  return list;
}

std::vector<std::string> JsonObject::names() const {
  std::vector<std::string> names;
  for (const auto& item : json_->items()) names.push_back(item.key());
  return names;
}

void JsonObject::finish() const {
  for (const auto& item : json_->items()) {
    if (!asked_.contains(item.key())) refuse(item.key(), "is not known here");
  }
}

void JsonObject::refuse(const std::string& name, std::string_view why) const {
  fail("{}: {} {}", path_, printable(place_ + name), why);
}

const Json& JsonObject::value(const std::string& name) {
  asked_.insert(name);
  const auto found = json_->find(name);
  if (found == json_->end()) refuse(name, "is missing");
  return *found;
}

}  // namespace calque
