#include "serve/fields.h"

#include <algorithm>
#include <charconv>

#include "data/text/utf8.h"
#include "serve/http/error.h"
#include "train/storage/strict_json.h"

namespace calque {
namespace {

using nlohmann::json;

constexpr int max_depth = 32;

json parse_body(const std::string& body) {
  const auto limit = [](int depth, json::parse_event_t, json&) {
    if (depth > max_depth) refuse(400, "the JSON is nested deeper than {} levels", max_depth);
    return true;
  };
  try {
    json value = json::parse(body, limit);
    if (!value.is_object()) refuse(400, "the body must be a JSON object");
    return value;
  } catch (const json::parse_error& error) {
    refuse(400, "the body is not JSON (byte {})", error.byte);
  }
}

// Adds the pairs of a=b&c=d. The values of a repeated name become a list.
void add_pairs(std::string_view text, json& to) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    const std::string name = form_decoded(pair.substr(0, equals));
    const std::string value =
        form_decoded(equals < pair.size() ? pair.substr(equals + 1) : std::string_view());
    if (!to.contains(name)) {
      to[name] = value;
    } else if (to[name].is_array()) {
      to[name].push_back(value);
    } else {
      to[name] = json::array({to[name], value});
    }
  }
}

void require_utf8(std::string_view name, const std::string& text) {
  const std::string problem = utf8_problem(text);
  if (!problem.empty()) refuse(400, "{}: {}", name, problem);
}

template <class Number>
Number parsed(std::string_view name, const std::string& text) {
  Number number{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) {
    refuse(400, "{}: must be a number", name);
  }
  return number;
}

}  // namespace

Fields::Fields(const HttpRequest& request) {
  const std::string type = request.content_type.substr(0, request.content_type.find(';'));
  if (request.body.empty() || request.method == "GET") {
    add_pairs(request.query, values_);
  } else if (type == "application/x-www-form-urlencoded") {
    add_pairs(request.query, values_);
    add_pairs(request.body, values_);
  } else if (type == "application/json" || type.empty() || type == "text/plain") {
    values_ = parse_body(request.body);
    body_ = request.body;
  } else {
    refuse(415, "the body must be JSON or a form (application/x-www-form-urlencoded)");
  }
}

const json& Fields::at(std::string_view name) const {
  static const json absent;
  const auto found = values_.find(name);
  return found == values_.end() ? absent : *found;
}

bool Fields::has(std::string_view name) const { return !at(name).is_null(); }
bool Fields::is_list(std::string_view name) const { return at(name).is_array(); }

std::string Fields::text(std::string_view name) const {
  const json& value = at(name);
  if (value.is_null()) refuse(400, "missing {} parameter", name);
  if (!value.is_string()) refuse(400, "{}: must be a text", name);
  require_utf8(name, value.get_ref<const std::string&>());
  return value.get<std::string>();
}

std::vector<std::string> Fields::texts(std::string_view name) const {
  if (!is_list(name)) return {text(name)};
  std::vector<std::string> all;
  for (const json& value : at(name)) {
    if (!value.is_string()) refuse(400, "{}: must be a text or a list of texts", name);
    all.push_back(value.get<std::string>());
    require_utf8(name, all.back());
  }
  return all;
}

std::string Fields::text_or(std::string_view name, const std::string& otherwise) const {
  return has(name) ? text(name) : otherwise;
}

int64_t Fields::whole_or(std::string_view name, int64_t otherwise, int64_t least,
                         int64_t most) const {
  if (!has(name)) return otherwise;
  const json& value = at(name);
  int64_t number = 0;
  if (value.is_string()) {
    number = parsed<int64_t>(name, value.get<std::string>());
  } else if (is_int64(value)) {
    number = value.get<int64_t>();
  } else {
    refuse(400, "{}: must be a whole number", name);
  }
  if (number < least || number > most) {
    refuse(400, "{}: is {}; it must be {} to {}", name, number, least, most);
  }
  return number;
}

double Fields::number_or(std::string_view name, double otherwise, double least, double most) const {
  if (!has(name)) return otherwise;
  const json& value = at(name);
  if (!value.is_string() && !value.is_number()) refuse(400, "{}: must be a number", name);
  const double number =
      value.is_string() ? parsed<double>(name, value.get<std::string>()) : value.get<double>();
  if (!(number >= least && number <= most)) {
    refuse(400, "{}: is {}; it must be {} to {}", name, number, least, most);
  }
  return number;
}

bool Fields::flag_or(std::string_view name, bool otherwise) const {
  if (!has(name)) return otherwise;
  const json& value = at(name);
  if (value.is_boolean()) return value.get<bool>();
  if (value == "true" || value == "1") return true;
  if (value == "false" || value == "0") return false;
  refuse(400, "{}: must be true or false", name);
}

std::string Fields::text_in_order(std::string_view name) const {
  if (body_.empty()) return at(name).dump();
  return nlohmann::ordered_json::parse(body_).at(std::string(name)).dump();
}

std::string form_decoded(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string_view digits = text.substr(i + 1, 2);
    const char* const end = digits.data() + digits.size();
    unsigned char byte = 0;
    if (text[i] == '%' && digits.size() == 2 &&
        std::from_chars(digits.data(), end, byte, 16).ptr == end) {
      bytes += static_cast<char>(byte);
      i += 2;
    } else {
      bytes += text[i] == '+' ? ' ' : text[i];
    }
  }
  return bytes;
}

std::string to_text(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace calque
