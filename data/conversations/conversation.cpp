#include "data/conversations/conversation.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace calque {
namespace {

using Json = nlohmann::json;

constexpr int deepest = 16;  // levels of a line

Json parse_json_line(std::string_view line, const std::string& where) {
  const auto watch = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > deepest) fail("{}: not a conversation: nested more than {} deep", where, deepest);
    return true;
  };
  try {
    return Json::parse(line, watch);
  } catch (const Json::parse_error& error) {
    fail("{}: not valid JSON (at byte {}); each line must be an object", where, error.byte);
  }
}

const std::string& field_of(const Json& object, const char* name, const std::string& place) {
  const auto found = object.find(name);
  if (found == object.end()) fail("{}: `{}` is missing", place, name);
  if (!found->is_string()) fail("{}: `{}` must be a text", place, name);
  return found->get_ref<const std::string&>();
}

Message message_in(const Json& json, const std::string& place) {
  if (!json.is_object()) fail("{}: must be an object with `role` and `content`", place);
  for (const char* of_tools : {"tool_calls", "tool_call_id", "function_call"}) {
    if (json.contains(of_tools)) fail("{}: has `{}`, but tools are not supported", place, of_tools);
  }
  const std::string& role = field_of(json, "role", place);
  const auto* named = std::ranges::find(speakers, role, &Named<Speaker>::name);
  if (named == std::end(speakers)) {
    fail("{}: `role` must be system, user or assistant, not {}", place, Json(role).dump());
  }
  return {named->choice, field_of(json, "content", place)};
}

}  // namespace

Conversation parse_conversation(std::string_view line, const std::string& where) {
  const Json json = parse_json_line(line, where);
  if (!json.is_object()) fail("{}: must be an object with `messages`", where);
  if (json.contains("tools")) fail("{}: has `tools`, which are not supported", where);
  if (!json.contains("messages")) {
    if (!json.contains("prompt")) {
      fail("{}: has neither `messages` nor `prompt` and `completion`", where);
    }
    return {{Speaker::user, field_of(json, "prompt", where)},
            {Speaker::assistant, field_of(json, "completion", where)}};
  }
  const Json& messages = json["messages"];
  if (!messages.is_array()) fail("{}: `messages` must be a list", where);
  Conversation conversation;
  for (size_t i = 0; i < messages.size(); ++i) {
    conversation.push_back(message_in(messages[i], fmt::format("{}: messages[{}]", where, i)));
  }
  return conversation;
}

}  // namespace calque
