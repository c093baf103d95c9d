#pragma once
// The texts of JSON values as patterns. Between the parts of a value a text may have nothing, a
// space, or a line end with up to 20 spaces, so that no text consists of white space alone.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decode/constraints/pattern.h"

namespace calque {

// A string of so many characters.
Pattern json_string(int64_t least = 0, int64_t most = Pattern::unlimited);
// A string whose value, not its text in JSON, matches the pattern, which refers to no rules.
Pattern json_string_of(Pattern value);
// A string of printable characters that is none of the names.
Pattern json_string_except(const std::vector<std::string>& names);
// The pattern of a string of a format of JSON schema: date, time, date-time or uuid. Those with a
// year have one of four digits, 1000 to 9999.
std::optional<Pattern> json_string_format(std::string_view format);

// `key` is a pattern of a string.
Pattern json_member(Pattern key, Pattern value);
// Members and elements that are a repetition occur that often.
Pattern json_object(std::vector<Pattern> members);
Pattern json_array(std::vector<Pattern> elements);

// Any value, to be added to a grammar as the rule with the number `rule`; and an object of them.
Pattern any_json_value(int32_t rule);
Pattern any_json_object(int32_t rule);
// A grammar of a text that is an object.
Grammar json_object_grammar();

}  // namespace calque
