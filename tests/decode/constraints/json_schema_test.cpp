// JSON schemas: random schemas whose outputs are checked by a validator of its own, formats and
// numbers against hand-made lists, recursion, and what is refused.
#include "decode/constraints/json_schema.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <regex>

#include "core/error.h"
#include "data/text/utf8.h"
#include "decode/constraints/json_text.h"
#include "decode/constraints/random_output.h"

namespace calque {
namespace {

using nlohmann::json;

std::shared_ptr<const OutputConstraint> constraint_of(const Grammar& grammar) {
  static const auto vocabulary = std::make_shared<const SpelledVocabulary>(small_spellings());
  return std::make_shared<OutputConstraint>(vocabulary, grammar);
}

bool accepts(std::string_view schema, std::string_view text) {
  return constraint_of(json_schema_grammar(schema))->accepts(text);
}

std::string refused(std::string_view schema) {
  try {
    constraint_of(json_schema_grammar(schema));
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

bool has_type(const json& value, const std::string& type) {
  if (type == "integer") return value.is_number_integer();
  return value.type_name() == type || (type == "boolean" && value.is_boolean());
}

// Whether a value is valid, by the definition of each keyword.
bool is_valid(const json& root, const json& schema, const json& value) {
  if (schema.is_boolean()) return schema.get<bool>();
  const auto sub = [&](const json& other, const json& part) { return is_valid(root, other, part); };
  if (schema.contains("$ref")) {
    return sub(root.at(json::json_pointer(schema["$ref"].get<std::string>().substr(1))), value);
  }
  if (schema.contains("type")) {
    const json& type = schema["type"];
    const bool any = type.is_array() && std::ranges::any_of(type, [&](const json& each) {
                       return has_type(value, each);
                     });
    if (!any && (type.is_array() || !has_type(value, type))) return false;
  }
  if (schema.contains("const") && schema["const"] != value) return false;
  if (schema.contains("enum") && std::ranges::count(schema["enum"], value) == 0) return false;
  for (const char* name : {"anyOf", "oneOf"}) {
    if (!schema.contains(name)) continue;
    const auto valid =
        std::ranges::count_if(schema[name], [&](const json& each) { return sub(each, value); });
    if (valid == 0 || (std::string(name) == "oneOf" && valid > 1)) return false;
  }
  if (value.is_object()) {
    const json properties = schema.value("properties", json::object());
    for (const json& name : schema.value("required", json::array())) {
      if (!value.contains(name.get<std::string>())) return false;
    }
    for (const auto& [name, member] : value.items()) {
      const json other = schema.value("additionalProperties", json(true));
      if (!sub(properties.contains(name) ? properties[name] : other, member)) return false;
    }
  }
  if (value.is_array()) {
    if (value.size() < schema.value("minItems", 0U)) return false;
    if (value.size() > schema.value("maxItems", 1'000'000U)) return false;
    for (const json& item : value) {
      if (!sub(schema.value("items", json(true)), item)) return false;
    }
  }
  if (value.is_number()) {
    const auto number = value.get<double>();
    if (number < schema.value("minimum", -1e300) || number > schema.value("maximum", 1e300) ||
        number <= schema.value("exclusiveMinimum", -1e300) ||
        number >= schema.value("exclusiveMaximum", 1e300)) {
      return false;
    }
  }
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    const auto size = std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
    if (size < schema.value("minLength", 0) || size > schema.value("maxLength", 1'000'000)) {
      return false;
    }
    if (schema.contains("pattern") &&
        !std::regex_search(text, std::regex(schema["pattern"].get<std::string>()))) {
      return false;
    }
  }
  return true;
}

class RandomSchema {
 public:
  explicit RandomSchema(uint32_t seed) : random_(seed) {}

  json schema(int depth) {
    switch (random_() % (depth > 0 ? 12 : 7)) {
      case 0:
        return {{"type", "string"}, {"minLength", below(3)}, {"maxLength", 3 + below(5)}};
      case 1:
        return {{"type", "string"},
                {"pattern", pick({"^a+b?$", "\\d{2,3}", "^[\"\\\\x\\n]{2}", "^[a-z]{0,5}é$"})}};
      case 2: {
        const int least = below(2000) - 1000;
        return {{"type", pick({"integer", "number"})},
                {"minimum", least},
                {"maximum", least + below(500)}};
      }
      case 3:
        return {{"type", "integer"}, {"exclusiveMinimum", -below(9) - 0.5}, {"title", "a"}};
      case 4:
        return {{"enum", {1, "a\"b", nullptr, {{"k", {1, 2}}}, true, 2.5}}};
      case 5:
        return {{"type", {"null", "boolean", "number", "string"}},
                {"exclusiveMaximum", below(20) - 10}};
      case 6:
        return {{"const", pick({"é€\n", "x", ""})}};
      case 7:
        return {{"anyOf", {schema(depth - 1), schema(depth - 1)}}};
      case 8:
        return {{"type", "array"},
                {"items", schema(depth - 1)},
                {"minItems", below(3)},
                {"maxItems", 2 + below(4)}};
      case 9:
        return {{"type", "array"}, {"items", schema(depth - 1)}};
      default:
        return object(depth);
    }
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<uint32_t>(limit)); }
  std::string pick(const std::vector<std::string>& texts) {
    return texts[random_() % texts.size()];
  }

  json object(int depth) {
    json properties = json::object(), required = json::array();
    for (const char* name : {"a", "ab", "b", "q\"", "é"}) {
      if (random_() % 2 == 0) continue;
      properties[name] = schema(depth - 1);
      if (random_() % 2 == 0) required.push_back(name);
    }
    json made = {{"type", "object"}, {"properties", properties}, {"required", required}};
    if (random_() % 2 == 0)
      made["additionalProperties"] = random_() % 2 == 0 ? json(false) : schema(0);
    return made;
  }

  std::mt19937 random_;
};

}  // namespace

TEST_CASE("every output for a random schema is valid") {
  std::mt19937 random(6);
  int64_t characters = 0;
  for (uint32_t seed = 1; seed <= 150; ++seed) {
    const json schema = RandomSchema(seed).schema(3);
    const auto constraint = constraint_of(json_schema_grammar(schema.dump()));
    for (int run = 0; run < 5; ++run) {
      const auto text = random_output(constraint, random);
      REQUIRE_MESSAGE(text.has_value(), schema.dump());
      const json value = json::parse(*text, nullptr, false);
      REQUIRE_MESSAGE(!value.is_discarded(), *text);
      CHECK_MESSAGE(is_valid(schema, schema, value), schema.dump(), " on ", *text);
      characters += std::ssize(*text);
    }
  }
  CHECK(characters > 10'000);
}

TEST_CASE("an object may have any members, nested up to a limit") {
  const auto constraint = constraint_of(json_object_grammar());
  CHECK(constraint->accepts(R"({"a": [1, -2.5e3, "\u00e9\n", {}, [], null], "b": {"c": true}})"));
  CHECK(constraint->accepts("{\n  \"a\": 1,\n  \"b\": [\n    2\n  ]\n}"));
  for (const char* text : {"[]", "1", " {}", "{} ", "{\"a\"}", "{\"a\": 01}", "{\"a\": 1,}",
                           "{\"a\": \"\\ud800\"}", "{\"a\": \"\n\"}", "{\"a\": tru}", "{a: 1}"}) {
    CHECK_MESSAGE(!constraint->accepts(text), text);
  }
  const auto nested = [&](int depth) {
    std::string text = "{\"a\": ";
    for (int i = 0; i < depth; ++i) text += "[";
    for (int i = 0; i < depth; ++i) text += "]";
    return text + "}";
  };
  CHECK(constraint->accepts(nested(ByteNetwork::deepest)));
  CHECK_FALSE(constraint->accepts(nested(ByteNetwork::deepest + 1)));
  std::mt19937 random(7);
  for (int run = 0; run < 20; ++run) {
    const auto text = random_output(constraint, random);
    REQUIRE(text.has_value());
    CHECK(json::parse(*text).is_object());
  }
}

TEST_CASE("schemas may refer to themselves") {
  const std::string tree = R"({"$defs": {"node": {"type": "object",
      "properties": {"v": {"type": "integer"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
      "required": ["v", "kids"], "additionalProperties": false}}, "$ref": "#/$defs/node"})";
  CHECK(accepts(
      tree,
      R"({"v": 1, "kids": [{"v": 2, "kids": []}, {"v": 3, "kids": [{"v": 4, "kids": []}]}]})"));
  CHECK_FALSE(accepts(tree, R"({"v": 1, "kids": [{"v": 2}]})"));
  const std::string list =
      R"({"anyOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#"}, "maxItems": 2}]})";
  CHECK(accepts(list, "[null, [[], null]]"));
  CHECK_FALSE(accepts(list, "[1]"));
  const auto constraint = constraint_of(json_schema_grammar(tree));
  std::mt19937 random(8);
  for (int run = 0; run < 20; ++run) {
    const auto text = random_output(constraint, random);
    REQUIRE(text.has_value());
    CHECK(is_valid(json::parse(tree), json::parse(tree), json::parse(*text)));
  }
  CHECK(accepts(R"({"anyOf": [{"$ref": "#"}, {"const": 1}]})", "1"));
  CHECK(refused(R"({"$ref": "#"})") == "no text matches that nests at most 64 values");
  CHECK(refused(R"({"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]})") ==
        "no text matches that nests at most 64 values");
}

TEST_CASE("properties keep the order of the schema, and others need additionalProperties") {
  const std::string schema =
      R"({"type": "object", "properties": {"b": {}, "a": {"type": "null"}}, "required": ["a"]})";
  CHECK(accepts(schema, R"({"b": 1, "a": null})"));
  CHECK(accepts(schema, R"({"a": null})"));
  CHECK_FALSE(accepts(schema, R"({"a": null, "b": 1})"));
  CHECK_FALSE(accepts(schema, R"({"b": 1})"));
  CHECK_FALSE(accepts(schema, R"({"a": null, "c": 1})"));
  const std::string open =
      R"({"properties": {"ab": {"type": "null"}}, "additionalProperties": {"type": "integer"}})";
  CHECK(accepts(open, R"({"ab": null, "a": 1, "abc": 2, "": 3})"));
  CHECK(accepts(open, R"({"a": 1})"));
  CHECK_FALSE(accepts(open, R"({"a": null})"));
  CHECK_FALSE(accepts(open, R"({"ab": 1})"));
  CHECK(accepts("{}", "[1, {\"a\": null}]"));
  CHECK(accepts("true", "1"));
  CHECK(accepts(R"({"items": false})", "[]"));
  CHECK_FALSE(accepts(R"({"items": false})", "[1]"));
}

TEST_CASE("integers and numbers keep to their bounds") {
  for (const auto& [least, most] :
       {std::pair(0, 9), {-3, 12}, {95, 1234}, {-1234, -95}, {-7, 0}, {5, 5}}) {
    const std::string bounds = fmt::format(R"("minimum": {}, "maximum": {}}})", least, most);
    const auto integer = constraint_of(json_schema_grammar(R"({"type": "integer", )" + bounds));
    const auto number = constraint_of(json_schema_grammar(R"({"type": "number", )" + bounds));
    for (int value = -2000; value <= 2000; ++value) {
      const bool inside = least <= value && value <= most;
      CHECK(integer->accepts(std::to_string(value)) == inside);
      CHECK(number->accepts(std::to_string(value)) == inside);
      const double half = value + (value < 0 ? -0.5 : 0.5);
      CHECK(number->accepts(std::to_string(value) + ".50") == (least <= half && half <= most));
    }
    CHECK_FALSE(integer->accepts("05"));
    CHECK_FALSE(integer->accepts("5.0"));
  }
  CHECK(accepts(R"({"type": "integer", "minimum": 5})", "123456789012345678"));
  CHECK_FALSE(accepts(R"({"type": "integer", "exclusiveMinimum": 5})", "5"));
  CHECK(accepts(R"({"type": "integer", "exclusiveMaximum": 5.5})", "5"));
}

TEST_CASE("exclusive bounds of numbers leave out the bound, however it is written") {
  const auto positive = constraint_of(json_schema_grammar(R"({"exclusiveMinimum": 0})"));
  for (const char* text : {"0.5", "0.000000001", "1", "7.0", "12.25"}) {
    CHECK_MESSAGE(positive->accepts(text), text);
  }
  for (const char* text : {"0", "0.0", "-0", "-0.0", "-1", "0.0000000001"}) {
    CHECK_MESSAGE(!positive->accepts(text), text);
  }
  const auto around =
      constraint_of(json_schema_grammar(R"({"exclusiveMinimum": -2, "exclusiveMaximum": 3})"));
  for (const char* text : {"-1.999999999", "-1", "-0.5", "0", "2.999999999", "2"}) {
    CHECK_MESSAGE(around->accepts(text), text);
  }
  for (const char* text : {"-2", "-2.0", "-2.5", "3", "3.0", "3.1"}) {
    CHECK_MESSAGE(!around->accepts(text), text);
  }
  const auto negative = constraint_of(json_schema_grammar(R"({"exclusiveMaximum": 0})"));
  CHECK(negative->accepts("-0.5"));
  for (const char* text : {"-0", "-0.0", "0"}) CHECK_MESSAGE(!negative->accepts(text), text);
  // The stricter of two bounds counts.
  CHECK_FALSE(accepts(R"({"type": "number", "minimum": 2, "exclusiveMinimum": 2})", "2"));
  CHECK(accepts(R"({"type": "number", "minimum": 3, "exclusiveMinimum": 2})", "3"));
  CHECK_FALSE(accepts(R"({"type": "integer", "minimum": 1, "exclusiveMinimum": 2})", "2"));
}

TEST_CASE("formats allow dates and times that exist") {
  const auto date = constraint_of(json_schema_grammar(R"({"format": "date"})"));
  CHECK(date->accepts("\"2024-02-29\""));
  CHECK(date->accepts("\"2000-02-29\""));
  CHECK(date->accepts("\"1999-12-31\""));
  for (const char* text :
       {"2023-02-29", "1900-02-29", "2024-04-31", "2024-13-01", "2024-00-10", "2024-1-1"}) {
    CHECK_MESSAGE(!date->accepts(fmt::format("\"{}\"", text)), text);
  }
  CHECK(accepts(R"({"format": "time"})", "\"23:59:59.25+02:00\""));
  CHECK_FALSE(accepts(R"({"format": "time"})", "\"24:00:00Z\""));
  CHECK(accepts(R"({"format": "date-time"})", "\"2024-02-29T00:00:00Z\""));
  CHECK(accepts(R"({"format": "uuid"})", "\"123e4567-e89b-12d3-a456-426614174000\""));
}

TEST_CASE("the schemas of oneOf must exclude each other") {
  const auto of = [](const std::string& a, const std::string& b) {
    return refused(fmt::format(R"({{"oneOf": [{}, {}]}})", a, b));
  };
  CHECK(of(R"({"type": "string"})", R"({"type": "integer"})") == "accepted");
  CHECK(of(R"({"const": 1})", R"({"enum": [2, 3]})") == "accepted");
  const std::string cat =
      R"({"type": "object", "properties": {"kind": {"const": "cat"}}, "required": ["kind"]})";
  const std::string dog =
      R"({"type": "object", "properties": {"kind": {"const": "dog"}}, "required": ["kind"]})";
  CHECK(of(cat, dog) == "accepted");
  const std::string overlap =
      "#/oneOf/1: a value may match #/oneOf/0 too; use anyOf, or a constant that differs";
  CHECK(of(cat, cat) == overlap);
  CHECK(of(R"({"type": "number"})", R"({"type": "integer"})") == overlap);
}

TEST_CASE("what is no schema, or not supported, is refused with its place") {
  CHECK(refused("{") == "#: is not JSON (byte 2)");
  CHECK(refused("[1]") == "#: must be a schema: an object, true or false");
  CHECK(refused("\xFF") == "#: not valid UTF-8 (byte 1)");
  CHECK(refused(R"({"type": "int"})") ==
        "#/type: must be a type: null, boolean, integer, number, string, array or object");
  CHECK(refused(R"({"type": []})") == "#/type: names no type");
  CHECK(refused(R"({"properties": {"a/b": {"multipleOf": 2}}})") ==
        "#/properties/a~1b/multipleOf: is not supported");
  CHECK(refused(R"({"patternProperties": {}})") == "#/patternProperties: is not supported");
  CHECK(refused(R"({"properties": []})") == "#/properties: must be an object of schemas");
  CHECK(refused(R"({"type": "object", "required": ["a"]})") ==
        "#/required/0: 'a' is not among the properties");
  CHECK(refused(R"({"required": "a"})") == "#/required: must be a list of names");
  CHECK(refused(R"({"allOf": [{}, {}]})") == "#/allOf: only allOf of one schema is supported");
  CHECK(refused(R"({"anyOf": []})") == "#/anyOf: must be a list of schemas");
  CHECK(refused(R"({"anyOf": [{}], "type": "string"})") == "#: anyOf and type cannot be combined");
  CHECK(refused(R"({"enum": [1], "minimum": 2})") == "#: enum and minimum cannot be combined");
  CHECK(refused(R"({"type": "string", "enum": [1]})") == "#/enum: no value has the type");
  CHECK(refused(R"({"$ref": "other.json"})") ==
        "#/$ref: only references within the schema, such as #/$defs/NAME, are supported");
  CHECK(refused(R"({"$ref": "#/$defs/a"})") == "#/$ref: the schema has no #/$defs/a");
  CHECK(refused(R"-({"items": {"pattern": "(?=a)"}})-") ==
        "#/items/pattern: character 1 of the regular expression: look-around and other special "
        "groups "
        "are not supported");
  CHECK(refused(R"({"pattern": "a", "minLength": 1})") ==
        "#: pattern, format, and lengths cannot be combined");
  CHECK(refused(R"({"format": "email"})") ==
        "#/format: only date, time, date-time and uuid are supported");
  CHECK(refused(R"({"minItems": -1})") == "#/minItems: must be a whole number");
  CHECK(refused(R"({"minItems": 3, "maxItems": 2})") == "#/maxItems: is less than minItems");
  CHECK(refused(R"({"maxLength": 1e9})") == "#/maxLength: must be at most 1000000");
  CHECK(refused(R"({"maxLength": 100000})") ==
        "needs more than 65536 states; use smaller counts or fewer parts");
  CHECK(refused(R"({"type": "number", "minimum": 0.5})") ==
        "#/minimum: must be an integer to be supported");
  CHECK(refused(R"({"type": "number", "exclusiveMinimum": 1e7})") ==
        "#/exclusiveMinimum: must be between -1000000 and 1000000");
  CHECK(refused(R"({"type": "integer", "minimum": 1e300})") ==
        "#/minimum: must be between -1000000000000000 and 1000000000000000");
  CHECK(refused(R"({"type": "integer", "minimum": 5, "maximum": 4})") ==
        "no text matches that nests at most 64 values");
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += R"({"items": )";
  CHECK(refused(deep + "true" + std::string(100, '}'))
            .ends_with("schemas are nested deeper than 64"));
  CHECK(refused(std::string(100'000, '[')) == "#: is nested deeper than 256 levels");
}

}  // namespace calque
