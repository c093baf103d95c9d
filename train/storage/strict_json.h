#pragma once
// JSON read strictly: what is missing, is there twice, is unknown or of another type is refused,
// with the file and the place in it. Numbers that JSON has no words for are the texts "nan", "inf",
// "-inf".

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace calque {

// The document in a text: UTF-8, without duplicate keys, nested at most eight deep. The path is for
// the messages.
nlohmann::json parse_json(std::string_view text, const std::string& path);

// A double as JSON that reads back to the same bits (NaNs are all one).
nlohmann::ordered_json json_number(double value);

// One object of a document, read field by field. It refers to the document.
class JsonObject {
 public:
  JsonObject(const nlohmann::json& json, std::string path, std::string place = "");

  int64_t integer(const std::string& name, int64_t least);
  uint64_t bits(const std::string& name);  // a whole number from 0 to 2^64 - 1
  double number(const std::string& name);
  bool flag(const std::string& name);
  std::string text(const std::string& name);
  JsonObject object(const std::string& name);
  std::vector<JsonObject> objects(const std::string& name);  // a list of them

  // For objects whose names are not known before: all of them, in order.
  std::vector<std::string> names() const;
  // Refuses what no call above has asked for.
  void finish() const;
  [[noreturn]] void refuse(const std::string& name, std::string_view why) const;

 private:
  const nlohmann::json& value(const std::string& name);
  const nlohmann::json* json_;
  std::string path_, place_;
  std::set<std::string> asked_;
};

}  // namespace calque
