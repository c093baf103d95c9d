#include "train/report/page_text.h"

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace calque {
namespace {

std::string valid_utf8(std::string_view text) {
  using Json = nlohmann::json;
  const std::string quoted = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  return Json::parse(quoted).get<std::string>();
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : valid_utf8(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default: {
        const bool forbidden =
            static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
        out += forbidden ? "\xEF\xBF\xBD" : std::string(1, c);
      }
    }
  }
  return out;
}

std::string json_quoted(std::string_view text) {
  using Json = nlohmann::json;
  std::string out;
  for (const char c : Json(text).dump(-1, ' ', true, Json::error_handler_t::replace)) {
    if (c == '<' || c == '>' || c == '&') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out;
}

void append_json_number(std::string& out, double value, int digits) {
  if (std::isfinite(value)) {
    fmt::format_to(std::back_inserter(out), "{:.{}g}", value, digits);
  } else {
    out += "null";
  }
}

std::string filled(std::string_view page,
                   std::initializer_list<std::pair<std::string_view, std::string_view>> values) {
  std::string out;
  while (true) {
    const size_t open = page.find("{{");
    out += page.substr(0, open);
    if (open == std::string_view::npos) return out;
    const size_t close = page.find("}}", open);
    require(close != std::string_view::npos, "filled: '{{{{' without '}}}}'");
    const std::string_view name = page.substr(open + 2, close - open - 2);
    bool known = false;
    for (const auto& [key, value] : values) {
      if (key != name) continue;
      out += value;
      known = true;
    }
    require(known, "filled: no value for {{{{{}}}}}", name);
    page.remove_prefix(close + 2);
  }
}

}  // namespace calque
