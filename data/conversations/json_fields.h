#pragma once
// The JSON of one line: an object, its fields and lists of messages. Each function throws an Error
// that begins with `where` or `place`, such as "chat.jsonl:17".

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "data/conversations/turns.h"

namespace calque {

// An object that is not nested too deep, without tools; `fields` completes "must be an object
// with".
nlohmann::json parse_object(std::string_view line, const std::string& where,
                            std::string_view fields);

// A field that is a text.
const std::string& text_field(const nlohmann::json& object, const char* name,
                              const std::string& place);

// A list of messages, the field `name` of a line.
Conversation messages_in(const nlohmann::json& list, const char* name, const std::string& where);

}  // namespace calque
