#pragma once
// Strict reading of JSON. A field that is missing, repeated, of another type or unknown (see
// finish()) is an Error that names the file and the field. NaN and the infinities, which JSON
// lacks, are the texts "nan", "inf" and "-inf".

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace calque {

// Parses a document: UTF-8, without repeated keys, nested at most eight deep. The path is for
// messages.
nlohmann::json parse_json(std::string_view text, const std::string& path);

// A double as JSON that is read back as the same bits (except for the bits of a NaN).
nlohmann::ordered_json json_number(double value);

// Whether the value is a whole number that an int64_t can hold.
bool is_int64(const nlohmann::json& value);

// An object of a document, read field by field. The document must outlive it.
class JsonObject {
 public:
  JsonObject(const nlohmann::json& json, std::string path, std::string place = "");

  int64_t integer(const std::string& name, int64_t least);
  uint64_t bits(const std::string& name);  // a whole number from 0 to 2^64 - 1
  double number(const std::string& name);
  bool flag(const std::string& name);
  std::string text(const std::string& name);
  JsonObject object(const std::string& name);
  std::vector<JsonObject> objects(const std::string& name);  // a list of objects

  // The names of all fields, sorted.
  std::vector<std::string> names() const;
  // Throws an Error if there is a field that no call has read.
  void finish() const;
  [[noreturn]] void refuse(const std::string& name, std::string_view why) const;

 private:
  const nlohmann::json& value(const std::string& name);
  const nlohmann::json* json_;
  std::string path_, place_;
  std::set<std::string> asked_;
};

}  // namespace calque
