#pragma once
// The fields of a request: a JSON object, a form, or the query, by the type of the body. A field
// that is null is absent.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http.h"

namespace calque {

class Fields {
 public:
  // Throws an HttpError for a body that is not what its type says.
  explicit Fields(const HttpRequest& request);

  bool has(std::string_view name) const;
  // Throw an HttpError if the field is absent or has another type. In a form and a query, numbers
  // are texts.
  std::string text(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;  // one text, or a list of them
  bool is_list(std::string_view name) const;

  std::string text_or(std::string_view name, const std::string& otherwise) const;
  int64_t whole_or(std::string_view name, int64_t otherwise, int64_t least, int64_t most) const;
  double number_or(std::string_view name, double otherwise, double least, double most) const;
  bool flag_or(std::string_view name, bool otherwise) const;
  const nlohmann::json& values() const { return values_; }

 private:
  const nlohmann::json& at(std::string_view name) const;

  nlohmann::json values_ = nlohmann::json::object();
};

// The bytes that a form or a query stands for: + is a space, %41 an A.
std::string form_decoded(std::string_view text);

// A JSON value as text. Invalid UTF-8 becomes U+FFFD.
std::string to_text(const nlohmann::json& value);

}  // namespace calque
