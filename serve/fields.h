#pragma once
// The fields of a request. They come from the query if the request is a GET or has no body;
// otherwise from the body: a JSON object, or a form together with the query. A field that is null
// counts as absent.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http/message.h"

namespace calque {

class Fields {
 public:
  // Throws an HttpError if the body does not match its type.
  explicit Fields(const HttpRequest& request);

  void set(const char* name, const std::string& text) { values_[name] = text; }
  bool has(std::string_view name) const;
  // These throw an HttpError if the field is absent or has another type.
  std::string text(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;  // of one text or a list of texts
  bool is_list(std::string_view name) const;

  // These return `otherwise` if the field is absent, and throw an HttpError for another type or a
  // number out of range. Those for numbers and flags also read texts, because a form and a query
  // have no other type.
  std::string text_or(std::string_view name, const std::string& otherwise) const;
  int64_t whole_or(std::string_view name, int64_t otherwise, int64_t least, int64_t most) const;
  double number_or(std::string_view name, double otherwise, double least, double most) const;
  bool flag_or(std::string_view name, bool otherwise) const;
  const nlohmann::json& values() const { return values_; }
  // A field of a JSON body as text, with the members of objects in the order of the body.
  std::string text_in_order(std::string_view name) const;

 private:
  const nlohmann::json& at(std::string_view name) const;

  nlohmann::json values_ = nlohmann::json::object();
  std::string body_;  // if it is JSON
};

// Decodes a form or a query: + is a space, %41 an A.
std::string form_decoded(std::string_view text);

// A JSON value as text. Invalid UTF-8 becomes U+FFFD.
std::string to_text(const nlohmann::json& value);

}  // namespace calque
