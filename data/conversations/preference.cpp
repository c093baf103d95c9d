#include "data/conversations/preference.h"

#include <algorithm>

#include "core/error.h"
#include "data/conversations/json_fields.h"

namespace calque {
namespace {

using Json = nlohmann::json;

// The messages of a field; a text is a message of `speaker`.
Conversation messages_of(const Json& line, const char* name, Speaker speaker,
                         const std::string& where) {
  const auto found = line.find(name);
  if (found == line.end()) fail("{}: `{}` is missing", where, name);
  if (found->is_string()) return {{speaker, found->get<std::string>()}};
  if (!found->is_array()) fail("{}: `{}` must be a text or a list of messages", where, name);
  return messages_in(*found, name, where);
}

// The conversation that ends with the answer in the field `name`.
Conversation answered(const Json& line, const char* name, const std::string& where) {
  Conversation answer = messages_of(line, name, Speaker::assistant, where);
  if (answer.empty() || answer.back().speaker != Speaker::assistant) {
    fail("{}: `{}` must end with a message of the assistant", where, name);
  }
  if (answer.back().text.find_first_not_of(" \t\r\n") == std::string::npos) {
    fail("{}: `{}` is empty", where, name);
  }
  if (answer.front().speaker != Speaker::assistant) return answer;
  Conversation whole = messages_of(line, "prompt", Speaker::user, where);
  whole.insert(whole.end(), answer.begin(), answer.end());
  return whole;
}

}  // namespace

Preference parse_preference(std::string_view line, const std::string& where) {
  const Json json = parse_object(line, where, "`prompt`, `chosen` and `rejected`");
  Preference preference{answered(json, "chosen", where), answered(json, "rejected", where)};
  const auto& [chosen, rejected] = preference;
  if (chosen == rejected) fail("{}: `chosen` and `rejected` are the same", where);
  if (!std::ranges::equal(std::span(chosen).first(chosen.size() - 1),
                          std::span(rejected).first(rejected.size() - 1))) {
    fail("{}: `chosen` and `rejected` must differ in the last answer alone", where);
  }
  return preference;
}

}  // namespace calque
