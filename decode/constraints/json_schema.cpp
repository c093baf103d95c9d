#include "decode/constraints/json_schema.h"

#include <algorithm>
#include <map>

#include "data/text/utf8.h"
#include "decode/constraints/json_text.h"
#include "decode/constraints/schema_node.h"
#include "decode/constraints/schema_scalars.h"

namespace calque {
namespace {

constexpr int deepest_schema = 64;
constexpr size_t longest_name = 1000;

constexpr std::string_view annotations[] = {
    "$schema", "$id",      "$comment",   "$defs",    "definitions", "title",        "description",
    "default", "examples", "deprecated", "readOnly", "writeOnly",   "discriminator"};
// The keywords that apply to values of one type.
constexpr std::string_view object_keywords[] = {"properties", "required", "additionalProperties"};
constexpr std::string_view array_keywords[] = {"items", "minItems", "maxItems", "uniqueItems"};
constexpr std::string_view string_keywords[] = {"minLength", "maxLength", "pattern", "format"};
constexpr std::string_view number_keywords[] = {"minimum", "maximum", "exclusiveMinimum",
                                                "exclusiveMaximum"};
// Each of these describes values alone; `type` and annotations may stand beside them.
constexpr std::string_view whole_keywords[] = {"$ref", "allOf", "anyOf", "oneOf", "const", "enum"};
constexpr std::string_view type_names[] = {"null",   "boolean", "integer", "number",
                                           "string", "array",   "object"};

template <class Names>
bool is_among(std::string_view name, const Names& names) {
  return std::ranges::count(names, name) > 0;
}

class SchemaCompiler {
 public:
  explicit SchemaCompiler(const OrderedJson& document) : document_(document) {}

  Grammar compile() {
    rule_of({&document_, "#"});
    while (!waiting_.empty()) {
      const auto [rule, node] = waiting_.back();
      waiting_.pop_back();
      Pattern pattern = value_of(node, 0);
      grammar_.rules[static_cast<size_t>(rule)] = std::move(pattern);
    }
    return std::move(grammar_);
  }

 private:
  // The number of the rule for a schema that is referred to.
  int32_t rule_of(const SchemaNode& node) {
    const auto [found, added] = rules_.try_emplace(node.value, 0);
    if (added) {
      found->second = static_cast<int32_t>(grammar_.rules.size());
      grammar_.rules.emplace_back();
      waiting_.emplace_back(found->second, node);
    }
    return found->second;
  }

  Pattern any_value() {
    if (any_value_ < 0) {
      any_value_ = static_cast<int32_t>(grammar_.rules.size());
      grammar_.rules.push_back(any_json_value(any_value_));
    }
    return Pattern::refer(any_value_);
  }

  Pattern value_of(const SchemaNode& node, int depth) {
    if (depth > deepest_schema) node.refuse("schemas are nested deeper than {}", deepest_schema);
    if (node.value->is_boolean()) {
      return node.value->get<bool>() ? any_value() : Pattern::choice({});
    }
    if (!node.value->is_object()) node.refuse("must be a schema: an object, true or false");
    check_keywords(node);
    if (node.has("$ref")) return Pattern::refer(rule_of(referred_schema(document_, node)));
    for (const char* keyword : {"allOf", "anyOf", "oneOf"}) {
      if (node.has(keyword)) return one_of(node, keyword, depth);
    }
    if (node.has("const") || node.has("enum")) return constants(node);
    std::vector<Pattern> ways;
    for (const std::string& type : types_of(node)) ways.push_back(typed(node, type, depth));
    return ways.empty() ? any_value() : Pattern::choice(std::move(ways));
  }

  static void check_keywords(const SchemaNode& node) {
    std::string whole, part;
    for (const auto& [name, value] : node.value->items()) {
      if (is_among(name, annotations)) continue;
      const bool partial = is_among(name, object_keywords) || is_among(name, array_keywords) ||
                           is_among(name, string_keywords) || is_among(name, number_keywords);
      if (is_among(name, whole_keywords)) {
        if (!whole.empty()) node.refuse("{} and {} cannot be combined", whole, name);
        whole = name;
      } else if (partial) {
        part = name;
      } else if (name != "type") {
        node.at(name).refuse("is not supported");
      }
    }
    const bool with_type = node.has("type") && whole != "const" && whole != "enum";
    if (!whole.empty() && (with_type || !part.empty())) {
      node.refuse("{} and {} cannot be combined", whole, part.empty() ? "type" : part);
    }
  }

  Pattern one_of(const SchemaNode& node, const char* keyword, int depth) {
    const SchemaNode list = node.at(keyword);
    if (!list.value->is_array() || list.value->empty()) list.refuse("must be a list of schemas");
    const size_t count = list.value->size();
    const std::string_view name = keyword;
    if (name == "allOf" && count > 1) list.refuse("only allOf of one schema is supported");
    std::vector<Pattern> ways;
    for (size_t i = 0; i < count; ++i) {
      for (size_t k = 0; name == "oneOf" && k < i; ++k) {
        if (schemas_exclude_each_other(document_, list.at(k), list.at(i))) continue;
        list.at(i).refuse("a value may match {} too; use anyOf, or a constant that differs",
                          list.at(k).place);
      }
      ways.push_back(value_of(list.at(i), depth + 1));
    }
    return Pattern::choice(std::move(ways));
  }

  static Pattern constants(const SchemaNode& node) {
    if (node.has("const")) return constant(*node.at("const").value);
    const SchemaNode list = node.at("enum");
    if (!list.value->is_array() || list.value->empty()) list.refuse("must be a list of values");
    std::vector<Pattern> ways;
    for (const OrderedJson& value : *list.value) {
      if (has_type(node, value)) ways.push_back(constant(value));
    }
    if (ways.empty()) list.refuse("no value has the type");
    return Pattern::choice(std::move(ways));
  }

  static Pattern constant(const OrderedJson& value) { return Pattern::text(value.dump()); }

  static bool has_type(const SchemaNode& node, const OrderedJson& value) {
    const std::vector<std::string> types = types_of(node);
    if (types.empty()) return true;
    const std::string name = value.is_number_integer() ? "integer" : value.type_name();
    return is_among(name, types) || (value.is_number() && is_among("number", types));
  }

  // The types that a schema names, or those that its keywords are for.
  static std::vector<std::string> types_of(const SchemaNode& node) {
    std::vector<std::string> types;
    const auto add = [&](const SchemaNode& type) {
      if (!type.value->is_string() || !is_among(type.value->get<std::string>(), type_names)) {
        type.refuse("must be a type: null, boolean, integer, number, string, array or object");
      }
      types.push_back(type.value->get<std::string>());
    };
    if (node.has("type")) {
      const SchemaNode type = node.at("type");
      if (!type.value->is_array()) add(type);
      for (size_t i = 0; type.value->is_array() && i < type.value->size(); ++i) add(type.at(i));
      if (types.empty()) type.refuse("names no type");
      return types;
    }
    const auto has_any = [&](const auto& keywords) {
      return std::ranges::any_of(
          keywords, [&](std::string_view name) { return node.has(std::string(name).c_str()); });
    };
    if (has_any(object_keywords)) types.emplace_back("object");
    if (has_any(array_keywords)) types.emplace_back("array");
    if (has_any(string_keywords)) types.emplace_back("string");
    if (has_any(number_keywords)) types.emplace_back("number");
    return types;
  }

  Pattern typed(const SchemaNode& node, const std::string& type, int depth) {
    if (type == "null") return Pattern::text("null");
    if (type == "boolean") return Pattern::choice({Pattern::text("true"), Pattern::text("false")});
    if (type == "integer" || type == "number") return schema_number(node, type == "integer");
    if (type == "string") return schema_string(node);
    return type == "array" ? array(node, depth) : object(node, depth);
  }

  Pattern array(const SchemaNode& node, int depth) {
    if (node.has("uniqueItems") && *node.at("uniqueItems").value != false) {
      node.at("uniqueItems").refuse("is not supported");
    }
    const auto [least, most] = schema_counts(node, "minItems", "maxItems");
    Pattern item = node.has("items") ? value_of(node.at("items"), depth + 1) : any_value();
    return json_array({Pattern::repeat(std::move(item), least, most)});
  }

  static std::vector<std::string> required(const SchemaNode& node) {
    std::vector<std::string> names;
    if (!node.has("required")) return names;
    const SchemaNode list = node.at("required");
    if (!list.value->is_array()) list.refuse("must be a list of names");
    for (size_t i = 0; i < list.value->size(); ++i) {
      if (!list.at(i).value->is_string()) list.at(i).refuse("must be a name");
      names.push_back(list.at(i).value->get<std::string>());
      if (!node.has("properties") || !node.at("properties").value->contains(names.back())) {
        list.at(i).refuse("'{}' is not among the properties", names.back());
      }
    }
    return names;
  }

  Pattern object(const SchemaNode& node, int depth) {
    if (node.has("properties") && !node.at("properties").value->is_object()) {
      node.at("properties").refuse("must be an object of schemas");
    }
    const std::vector<std::string> needed = required(node);
    std::vector<Pattern> members;
    std::vector<std::string> names;
    if (node.has("properties")) {
      const SchemaNode properties = node.at("properties");
      for (const auto& [name, schema] : properties.value->items()) {
        names.push_back(name);
        Pattern member = json_member(constant(name), value_of(properties.at(name), depth + 1));
        const bool optional = !is_among(name, needed);
        members.push_back(optional ? Pattern::optional(std::move(member)) : std::move(member));
      }
    }
    if (node.has("additionalProperties") ? *node.at("additionalProperties").value != false
                                         : !node.has("properties")) {
      members.push_back(additional_members(node, names, depth));
    }
    return json_object(std::move(members));
  }

  Pattern additional_members(const SchemaNode& node, const std::vector<std::string>& names,
                             int depth) {
    for (const std::string& name : names) {
      if (name.size() > longest_name) {
        node.at("properties").refuse("a name is longer than {} bytes", longest_name);
      }
    }
    Pattern value = node.has("additionalProperties")
                        ? value_of(node.at("additionalProperties"), depth + 1)
                        : any_value();
    return Pattern::repeat(
        json_member(names.empty() ? json_string() : json_string_except(names), std::move(value)),
        0);
  }

  const OrderedJson& document_;
  Grammar grammar_;
  std::map<const OrderedJson*, int32_t> rules_;
  std::vector<std::pair<int32_t, SchemaNode>> waiting_;
  int32_t any_value_ = -1;
};

}  // namespace

Grammar json_schema_grammar(std::string_view schema) {
  if (const std::string problem = utf8_problem(schema); !problem.empty()) fail("#: {}", problem);
  const auto limit = [](int depth, OrderedJson::parse_event_t, OrderedJson&) {
    if (depth > 4 * deepest_schema) fail("#: is nested deeper than {} levels", 4 * deepest_schema);
    return true;
  };
  OrderedJson document;
  try {
    document = OrderedJson::parse(schema, limit);
  } catch (const OrderedJson::parse_error& error) {
    fail("#: is not JSON (byte {})", error.byte);
  }
  return SchemaCompiler(document).compile();
}

}  // namespace calque
