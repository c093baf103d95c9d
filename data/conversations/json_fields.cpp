#include "data/conversations/json_fields.h"

#include <algorithm>

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

Message message_in(const Json& json, const std::string& place) {
  if (!json.is_object()) fail("{}: must be an object with `role` and `content`", place);
  for (const char* of_tools : {"tool_calls", "tool_call_id", "function_call"}) {
    if (json.contains(of_tools)) fail("{}: has `{}`, but tools are not supported", place, of_tools);
  }
  const std::string& role = text_field(json, "role", place);
  const auto* named = std::ranges::find(speakers, role, &Named<Speaker>::name);
  if (named == std::end(speakers)) {
    fail("{}: `role` must be system, user or assistant, not {}", place, Json(role).dump());
  }
  return {named->choice, text_field(json, "content", place)};
}

}  // namespace

Json parse_object(std::string_view line, const std::string& where, std::string_view fields) {
  Json json = parse_json_line(line, where);
  if (!json.is_object()) fail("{}: must be an object with {}", where, fields);
  if (json.contains("tools")) fail("{}: has `tools`, which are not supported", where);
  return json;
}

const std::string& text_field(const Json& object, const char* name, const std::string& place) {
  const auto found = object.find(name);
  if (found == object.end()) fail("{}: `{}` is missing", place, name);
  if (!found->is_string()) fail("{}: `{}` must be a text", place, name);
  return found->get_ref<const std::string&>();
}

Conversation messages_in(const Json& list, const char* name, const std::string& where) {
  if (!list.is_array()) fail("{}: `{}` must be a list", where, name);
  Conversation conversation;
  for (size_t i = 0; i < list.size(); ++i) {
    conversation.push_back(message_in(list[i], fmt::format("{}: {}[{}]", where, name, i)));
  }
  return conversation;
}

}  // namespace calque
