#pragma once
// JSON schemas as grammars. Supported are
//
//   type (a name or a list), enum, const, anyOf, oneOf, allOf of one schema, $ref within the schema
//   properties, required, additionalProperties      items, minItems, maxItems
//   minLength and maxLength, or pattern, or format (date, time, date-time, uuid)
//   minimum, maximum, exclusiveMinimum, exclusiveMaximum; for numbers that are no integers, if
//   they are integers of at most seven digits
//
// Annotations such as title and description are ignored; every other keyword is refused. A text is
// narrower than the schema in some ways: properties are written in the order of the schema, an
// object with `properties` has no others unless additionalProperties is given, a schema without
// `type` describes values of the type that its keywords are for, and the schemas of oneOf must
// exclude each other.

#include <string_view>

#include "decode/constraints/pattern.h"

namespace calque {

// Throws an Error that begins with the place at fault, such as "#/properties/age: ", for a text
// that is no JSON and for a schema that is not supported.
Grammar json_schema_grammar(std::string_view schema);

}  // namespace calque
