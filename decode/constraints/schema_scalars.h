#pragma once
// The strings and numbers that a schema allows, and its counts.

#include <cstdint>

#include "decode/constraints/pattern.h"
#include "decode/constraints/schema_node.h"

namespace calque {

// Of minLength, maxLength, pattern and format.
Pattern schema_string(const SchemaNode& node);
// Of minimum, maximum, exclusiveMinimum and exclusiveMaximum.
Pattern schema_number(const SchemaNode& node, bool integer);

struct SchemaCounts {
  int64_t least, most;  // or Pattern::unlimited
};
// Of two keywords such as minItems and maxItems.
SchemaCounts schema_counts(const SchemaNode& node, const char* least, const char* most);

}  // namespace calque
