#pragma once
// A JSON file of another engine: an object of settings. Settings that calque does not read are
// ignored; the others must have the right type and be in range. Errors name the file.

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace calque {

class ForeignJson {
 public:
  static constexpr uint64_t largest_file = 256 << 20;

  // Throws an Error unless `object`, read from `path`, is a JSON object.
  ForeignJson(nlohmann::json object, std::string path);
  static ForeignJson read(const std::string& path);
  static ForeignJson parse(std::string_view text, const std::string& path);

  // Whether the setting exists and is not null.
  bool has(std::string_view name) const;

  // With a fallback, the setting may be missing or null.
  int64_t integer(std::string_view name, int64_t least, int64_t most,
                  std::optional<int64_t> fallback = {}) const;
  double number(std::string_view name, std::optional<double> fallback = {}) const;
  bool flag(std::string_view name, std::optional<bool> fallback = {}) const;
  std::string text(std::string_view name, std::optional<std::string> fallback = {}) const;
  // One value or a list of them; empty if missing or null.
  std::vector<int64_t> integers(std::string_view name) const;
  std::vector<double> numbers(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;

  const nlohmann::json& json() const { return *json_; }
  const std::string& path() const { return path_; }
  [[noreturn]] void refuse(std::string_view name, std::string_view why) const;

 private:
  const nlohmann::json* find(std::string_view name, bool required) const;
  template <class Value>
  std::vector<Value> list(std::string_view name, bool (*accepts)(const nlohmann::json&),
                          std::string_view why) const;

  std::shared_ptr<const nlohmann::json> json_;
  std::string path_;
};

}  // namespace calque
