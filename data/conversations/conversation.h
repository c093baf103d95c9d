#pragma once
// Files of conversations: JSON lines, plain, gzip or zstd, each an object with
//
//   {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]}
//   {"prompt": "Hi", "completion": "Hello"}
//
// The roles are system, user and assistant. Other fields of a line and of a message are ignored,
// except those of tools, which are refused.

#include <string>
#include <string_view>

#include "data/conversations/turns.h"

namespace calque {

// The conversation of a line. Throws an Error that begins with `where`, such as "chat.jsonl:17".
Conversation parse_conversation(std::string_view line, const std::string& where);

}  // namespace calque
