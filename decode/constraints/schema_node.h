#pragma once
// A schema within a JSON document, with its place there; and how a reference finds one.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"

namespace calque {

// Objects whose members have the order of the text.
using OrderedJson = nlohmann::ordered_json;

struct SchemaNode {
  const OrderedJson* value;
  std::string place;  // a JSON pointer such as #/properties/age

  bool has(const char* keyword) const { return value->is_object() && value->contains(keyword); }
  // A member, which must exist, or an element.
  SchemaNode at(const std::string& key) const;
  SchemaNode at(size_t number) const;

  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> message, Args&&... args) const {
    fail("{}: {}", place, fmt::format(message, std::forward<Args>(args)...));
  }
};

// The schema that the $ref of a node refers to, which must begin with #.
SchemaNode referred_schema(const OrderedJson& document, const SchemaNode& node);

// Whether no value matches both schemas, as far as their types, constants and required properties
// tell.
bool schemas_exclude_each_other(const OrderedJson& document, const SchemaNode& a,
                                const SchemaNode& b);

}  // namespace calque
