#include "train/report/page_text.h"

#include <algorithm>
#include <cmath>
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
  static constexpr std::pair<char, const char*> entities[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  std::string out;
  for (const char c : valid_utf8(text)) {
    const auto entity = std::ranges::find(entities, c, &std::pair<char, const char*>::first);
    const bool forbidden =
        static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
    if (entity != std::end(entities)) {
      out += entity->second;
    } else {
      out += forbidden ? "\xEF\xBF\xBD" : std::string(1, c);
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

std::string json_number(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}g}", value, digits) : "null";
}

std::string json_texts(const std::vector<std::string>& texts) {
  return json_list(texts, json_quoted);
}

std::string svg_document(double width, double height, double font_size, std::string_view body) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Helvetica, Arial, sans-serif\" "
      "font-size=\"{2}\" fill=\"#222\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"#fff\"/>\n{3}</svg>\n",
      width, height, font_size, body);
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
