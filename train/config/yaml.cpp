// Uses yaml-cpp's event interface, not its Node: events have line numbers, show repeated keys, and
// allow stopping at an anchor or at deep nesting before anything is built.
#include "train/config/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "core/error.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

constexpr size_t deepest_nesting = 16;
constexpr size_t most_keys = 1000;  // in one map, since the search for repeated keys is quadratic

// Whether the quoted text at the beginning of `text` has a closing quote. Without one, yaml-cpp
// reads to the end of the file.
bool is_closed(std::string_view text) {
  if (text.empty() || (text[0] != '\'' && text[0] != '"')) return true;  // a block, | or >
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[0] == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == text[0]) {
      if (text[0] == '"' || i + 1 == text.size() || text[i + 1] != '\'') return true;
      ++i;
    }
  }
  return false;
}

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, Place start) : text_(text), start_(std::move(start)) {
    root_.place = start_;
  }

  YamlValue take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_anchor(mark); }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(value(YamlValue::Kind::nothing, mark), mark, anchor, "");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    const bool quoted = tag == "!";
    if (quoted && !is_closed(text_.substr(static_cast<size_t>(mark.pos)))) {
      fail("{}: a quote is not closed", place(mark).text());
    }
    YamlValue scalar = value(YamlValue::Kind::scalar, mark);
    scalar.scalar = text;
    scalar.quoted = quoted;
    add(std::move(scalar), mark, anchor, quoted ? "" : tag);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlValue::Kind::list, mark, anchor, tag);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(YamlValue::Kind::map, mark, anchor, tag);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlValue value;
    std::optional<YamlEntry> pending;  // a map's key without its value
  };

  bool expects_key() const {
    return !open_.empty() && open_.back().value.kind == YamlValue::Kind::map &&
           !open_.back().pending;
  }

  Place place(const YAML::Mark& mark) const {
    return {start_.file, start_.line == 0 ? 0 : mark.line + 1};
  }

  YamlValue value(YamlValue::Kind kind, const YAML::Mark& mark) const {
    YamlValue made;
    made.kind = kind;
    made.place = place(mark);
    return made;
  }

  [[noreturn]] void refuse_anchor(const YAML::Mark& mark) const {
    fail("{}: anchors and aliases (& and *) are not supported; write the value out, or quote it",
         place(mark).text());
  }

  void check(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag) const {
    if (anchor != YAML::NullAnchor) refuse_anchor(mark);
    if (!tag.empty() && tag != "?") {
      fail("{}: tags ({}) are not supported; write the plain value", place(mark).text(), tag);
    }
  }

  void open(YamlValue::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor,
            const std::string& tag) {
    check(mark, anchor, tag);
    if (open_.size() >= deepest_nesting) {
      fail("{}: nested more than {} deep; a config is sections of keys", place(mark).text(),
           deepest_nesting);
    }
    if (expects_key()) {
      fail("{}: a key must be a single word, not a list or a map; is a bracket left open?",
           place(mark).text());
    }
    open_.push_back({value(kind, mark), {}});
  }

  void close() {
    YamlValue done = std::move(open_.back().value);
    open_.pop_back();
    place_value(std::move(done));
  }

  void add(YamlValue value, const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag) {
    check(mark, anchor, tag);
    if (expects_key()) {
      add_key(value);
    } else {
      place_value(std::move(value));
    }
  }

  void add_key(const YamlValue& key) {
    Open& map = open_.back();
    if (key.scalar.empty()) fail("{}: a value without a key", key.place.text());
    for (const YamlEntry& entry : map.value.entries) {
      if (entry.key == key.scalar) {
        fail("{}: '{}' is given twice, first at {}", key.place.text(), key.scalar,
             entry.place.text());
      }
    }
    if (map.value.entries.size() >= most_keys) {
      fail("{}: more than {} keys in one map; this is not a config", key.place.text(), most_keys);
    }
    map.pending = YamlEntry{key.scalar, key.place, {}};
  }

  // In {dropout: 0,1} the 1 is a key.
  static void refuse_decimal_comma(const Open& map, const YamlValue& value) {
    const auto is_number = [](std::string_view text) {
      return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
    };
    if (value.kind != YamlValue::Kind::nothing || !is_number(map.pending->key)) return;
    if (map.value.entries.empty()) return;
    const auto& [key, place, before] = map.value.entries.back();
    if (before.quoted || !is_number(before.scalar)) return;
    fail("{}: {}: {},{}: the comma ends the value; write it with a decimal point, {}.{}",
         place.text(), key, before.scalar, map.pending->key, before.scalar, map.pending->key);
  }

  void place_value(YamlValue value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& parent = open_.back();
    if (parent.value.kind == YamlValue::Kind::list) {
      parent.value.items.push_back(std::move(value));
      return;
    }
    refuse_decimal_comma(parent, value);
    parent.pending->value = std::move(value);
    parent.value.entries.push_back(std::move(*parent.pending));
    parent.pending.reset();
  }

  std::string_view text_;
  Place start_;
  YamlValue root_;
  std::vector<Open> open_;
};

// Refuses text that yaml-cpp would misread, or refuse with an obscure message.
void check_text(std::string_view text, const Place& start) {
  const size_t invalid = find_invalid_utf8(text).value_or(text.size());
  Place here = start;
  bool indentation = true;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (i == invalid) {
      fail("{}: not valid UTF-8, or a NUL byte; a config is a text file", here.text());
    }
    const bool line_end = c == '\n' || (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n');
    if ((static_cast<unsigned char>(c) < ' ' && c != '\t' && !line_end) || c == '\x7f') {
      fail("{}: a control character (byte {}); remove it", here.text(), static_cast<int>(c));
    }
    if (indentation && c == '\t') {
      fail("{}: a tab in the indentation; YAML requires spaces", here.text());
    }
    indentation = c == '\n' || (indentation && c == ' ');
    if (c == '\n' && here.line > 0) ++here.line;
  }
}

YamlValue parse(std::string_view text, const Place& start) {
  check_text(text, start);
  std::istringstream stream{std::string(text)};
  TreeBuilder builder(text, start);
  try {
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    YamlValue root = builder.take();
    TreeBuilder rest(text, start);
    if (parser.HandleNextDocument(rest)) {
      fail("{}: a second document (---); a config has only one", rest.take().place.text());
    }
    return root;
  } catch (const YAML::Exception& error) {
    const int line = start.line == 0 || error.mark.is_null() ? start.line : error.mark.line + 1;
    fail("{}: invalid YAML: {}", (Place{start.file, line}).text(), error.msg);
  }
}

}  // namespace

std::string Place::text() const { return line > 0 ? fmt::format("{}:{}", *file, line) : *file; }

std::string description(const YamlValue& value) {
  constexpr size_t longest = 60;
  switch (value.kind) {
    case YamlValue::Kind::nothing:
      return "nothing";
    case YamlValue::Kind::list:
      return "a list";
    case YamlValue::Kind::map:
      return "a map";
    case YamlValue::Kind::scalar:
      break;
  }
  if (value.scalar.size() <= longest) return fmt::format("'{}'", value.scalar);
  size_t end = longest;
  while ((static_cast<unsigned char>(value.scalar[end]) & 0xC0U) == 0x80U) --end;
  return fmt::format("'{}...'", value.scalar.substr(0, end));
}

YamlValue parse_yaml(std::string_view text, const std::string& name) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  return parse(text, {std::make_shared<const std::string>(name), 1});
}

YamlValue parse_yaml_argument(std::string_view text, const std::string& place) {
  return parse(text, {std::make_shared<const std::string>(place), 0});
}

std::string yaml_scalar(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_./+-").find(c) != std::string_view::npos;
  };
  const bool null = text.empty() || text == "null" || text == "Null" || text == "NULL";
  const bool sign = !text.empty() && text.front() == '-';
  if (!null && !sign && std::all_of(text.begin(), text.end(), plain)) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

}  // namespace calque
