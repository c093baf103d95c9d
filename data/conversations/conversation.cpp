#include "data/conversations/conversation.h"

#include "core/error.h"
#include "data/conversations/json_fields.h"

namespace calque {

Conversation parse_conversation(std::string_view line, const std::string& where) {
  const nlohmann::json json = parse_object(line, where, "`messages`");
  if (json.contains("messages")) return messages_in(json["messages"], "messages", where);
  if (!json.contains("prompt")) {
    fail("{}: has neither `messages` nor `prompt` and `completion`", where);
  }
  return {{Speaker::user, text_field(json, "prompt", where)},
          {Speaker::assistant, text_field(json, "completion", where)}};
}

}  // namespace calque
