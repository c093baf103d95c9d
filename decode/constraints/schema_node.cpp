#include "decode/constraints/schema_node.h"

#include <algorithm>
#include <set>
#include <vector>

namespace calque {
namespace {

constexpr int longest_chain = 100;  // of references

std::string in_pointer(const std::string& key) {
  std::string text;
  for (const char c : key) {
    text += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  }
  return text;
}

// The reference of a URI fragment as a JSON pointer: %41 is an A.
std::string unescaped_fragment(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](size_t at) {
      constexpr std::string_view digits = "0123456789abcdef";
      return at < text.size() ? digits.find(static_cast<char>(text[at] | 0x20)) : digits.npos;
    };
    if (text[i] == '%' && digit(i + 1) != text.npos && digit(i + 2) != text.npos) {
      plain.push_back(static_cast<char>(digit(i + 1) * 16 + digit(i + 2)));
      i += 2;
    } else {
      plain.push_back(text[i]);
    }
  }
  return plain;
}

// The schema behind references and allOf of one schema.
SchemaNode followed(const OrderedJson& document, SchemaNode node) {
  for (int i = 0; i < longest_chain; ++i) {
    if (node.has("$ref")) {
      node = referred_schema(document, node);
    } else if (node.has("allOf") && (*node.value)["allOf"].is_array() &&
               (*node.value)["allOf"].size() == 1) {
      node = node.at("allOf").at(size_t{0});
    } else {
      break;
    }
  }
  return node;
}

// The values that a schema allows, if it lists them.
std::vector<OrderedJson> listed_values(const SchemaNode& node) {
  if (node.has("const")) return {(*node.value)["const"]};
  if (!node.has("enum") || !(*node.value)["enum"].is_array()) return {};
  return (*node.value)["enum"].get<std::vector<OrderedJson>>();
}

std::string type_of(const OrderedJson& value) {
  return value.is_number() ? "number" : value.is_boolean() ? "boolean" : value.type_name();
}

// The types of the values of a schema; empty: any. Integers are numbers.
std::set<std::string> types_of(const SchemaNode& node) {
  std::set<std::string> types;
  for (const OrderedJson& value : listed_values(node)) types.insert(type_of(value));
  if (!types.empty() || !node.has("type")) return types;
  const OrderedJson& type = (*node.value)["type"];
  const auto add = [&](const OrderedJson& name) {
    if (name.is_string()) types.insert(name == "integer" ? "number" : name.get<std::string>());
  };
  if (!type.is_array()) add(type);
  if (type.is_array()) std::ranges::for_each(type, add);
  return types;
}

template <class Set>
bool are_disjoint(const Set& a, const Set& b) {
  return std::ranges::none_of(a, [&](const auto& each) { return std::ranges::count(b, each) > 0; });
}

std::vector<std::string> required_names(const SchemaNode& node) {
  std::vector<std::string> names;
  if (!node.has("required") || !(*node.value)["required"].is_array()) return names;
  for (const OrderedJson& name : (*node.value)["required"]) {
    if (name.is_string()) names.push_back(name);
  }
  return names;
}

const OrderedJson* property_of(const SchemaNode& node, const std::string& name) {
  if (!node.has("properties") || !(*node.value)["properties"].is_object()) return nullptr;
  const auto found = (*node.value)["properties"].find(name);
  return found == (*node.value)["properties"].end() ? nullptr : &*found;
}

// Whether an object that is written for `a` never has a property that `b` requires.
bool lacks_required(const SchemaNode& a, const SchemaNode& b) {
  const bool open = a.has("additionalProperties") && (*a.value)["additionalProperties"] != false;
  if (open || !a.has("properties")) return false;
  return std::ranges::any_of(
      required_names(b), [&](const std::string& name) { return property_of(a, name) == nullptr; });
}

// Whether both require a property whose values differ.
bool are_discriminated(const OrderedJson& document, const SchemaNode& a, const SchemaNode& b) {
  const std::vector<std::string> others = required_names(b);
  for (const std::string& name : required_names(a)) {
    const OrderedJson *of_a = property_of(a, name), *of_b = property_of(b, name);
    if (!of_a || !of_b || std::ranges::count(others, name) == 0) continue;
    const auto values_a = listed_values(followed(document, {of_a, a.place}));
    const auto values_b = listed_values(followed(document, {of_b, b.place}));
    if (!values_a.empty() && !values_b.empty() && are_disjoint(values_a, values_b)) return true;
  }
  return false;
}

}  // namespace

SchemaNode SchemaNode::at(const std::string& key) const {
  return {&(*value)[key], place + "/" + in_pointer(key)};
}

SchemaNode SchemaNode::at(size_t number) const {
  return {&(*value)[number], fmt::format("{}/{}", place, number)};
}

SchemaNode referred_schema(const OrderedJson& document, const SchemaNode& node) {
  const SchemaNode reference = node.at("$ref");
  if (!reference.value->is_string()) reference.refuse("must be a text");
  const auto text = reference.value->get<std::string>();
  if (!text.starts_with('#')) {
    reference.refuse("only references within the schema, such as #/$defs/NAME, are supported");
  }
  try {
    const OrderedJson::json_pointer pointer(unescaped_fragment(text.substr(1)));
    return {&document.at(pointer), text};
  } catch (const OrderedJson::exception&) {
    reference.refuse("the schema has no {}", text);
  }
}

bool schemas_exclude_each_other(const OrderedJson& document, const SchemaNode& first,
                                const SchemaNode& second) {
  const SchemaNode a = followed(document, first), b = followed(document, second);
  if (!a.value->is_object() || !b.value->is_object()) return false;
  const auto types_a = types_of(a), types_b = types_of(b);
  if (!types_a.empty() && !types_b.empty() && are_disjoint(types_a, types_b)) return true;
  const auto values_a = listed_values(a), values_b = listed_values(b);
  if (!values_a.empty() && !values_b.empty()) return are_disjoint(values_a, values_b);
  const std::set<std::string> objects = {"object"};
  if (types_a != objects || types_b != objects) return false;
  return are_discriminated(document, a, b) || (lacks_required(a, b) && lacks_required(b, a));
}

}  // namespace calque
