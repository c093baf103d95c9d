#pragma once
// Files of preferences: JSON lines, plain, gzip or zstd, each an object with a prompt and two
// answers to it, as texts or as messages:
//
//   {"prompt": "Hi", "chosen": "Hello!", "rejected": "What?"}
//   {"prompt": [{"role": "user", "content": "Hi"}],
//    "chosen": [{"role": "assistant", "content": "Hello!"}], "rejected": [...]}
//
// Messages of an answer that do not begin with the assistant are a whole conversation; then
// `prompt` is ignored and may be missing. Other fields are ignored.

#include <string>
#include <string_view>

#include "data/conversations/turns.h"

namespace calque {

// Two conversations that differ in their last message alone, an answer of the assistant.
struct Preference {
  Conversation chosen, rejected;
  bool operator==(const Preference&) const = default;
};

// The preference of a line. Throws an Error that begins with `where`, such as "pairs.jsonl:17".
Preference parse_preference(std::string_view line, const std::string& where);

}  // namespace calque
