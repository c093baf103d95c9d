#include "data/formats/po_parser.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "data/text/code_points.h"
#include "data/text/lowercase.h"
#include "data/text/trimmed.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

constexpr std::string_view blanks = " \t\r\f\v";

std::string_view trimmed(std::string_view text) { return calque::trimmed(text, blanks); }

// The lines of the first message if its msgid is empty. They are ASCII in every charset that
// catalogues have.
std::string header_of(std::string_view text) {
  std::string header;
  int64_t lines = 0;
  while (!text.empty()) {
    const std::string_view line = trimmed(cut(text, '\n'));
    if (lines == 0 && (line.empty() || line.starts_with('#') || line == "\xEF\xBB\xBF")) continue;
    const bool fits = lines == 0   ? line.ends_with("msgid \"\"")
                      : lines == 1 ? line.starts_with("msgstr")
                                   : line.starts_with('"');
    if (!fits) break;
    ++lines;
    (header += line) += '\n';
  }
  return header;
}

}  // namespace

std::string po_charset(std::string_view text) {
  constexpr std::string_view key = "charset=";
  const std::string header = header_of(text);
  const size_t at = header.find(key);
  if (at == header.npos) return "UTF-8";
  const std::string_view rest = std::string_view(header).substr(at + key.size());
  const std::string charset(rest.substr(0, rest.find_first_of(" \t\n\\\";")));
  const std::string lower = ascii_lowercase(charset);
  const bool plain = lower.empty() || lower == "charset" || lower == "utf-8" || lower == "utf8" ||
                     lower == "ascii" || lower == "us-ascii";
  return plain ? "UTF-8" : charset;
}

// Reads line by line. A message ends before a comment or a keyword that cannot follow it.
class PoParser {
 public:
  explicit PoParser(PoFile& file) : file_(file), text_(file.text_) {}

  void parse() {
    if (text_.find("\r\n") != text_.npos) file_.line_end_ = "\r\n";
    for (size_t at = text_.starts_with("\xEF\xBB\xBF") ? 3 : 0; at < text_.size();) {
      const size_t feed = std::min(text_.find('\n', at), text_.size());
      const size_t next = std::min(feed + 1, text_.size());
      ++number_;
      begin_ = at, end_ = next;
      read_line(trimmed(text_.substr(at, feed - at)));
      at = next;
    }
    finish();
  }

 private:
  void read_line(std::string_view line) {
    if (line.empty()) return;
    if (line.starts_with("#~")) {
      const std::string_view rest = trimmed(line.substr(2));
      if (rest.empty() || rest.starts_with('|')) return start_message_if_complete();
      return read_message(rest, true);
    }
    if (line.starts_with('#')) return read_comment(line);
    read_message(line, false);
  }

  void read_comment(std::string_view line) {
    start_message_if_complete();
    begin_entry();
    if (!line.starts_with("#,")) return;
    place_.flags_end = begin_ + text_.substr(begin_, end_ - begin_).find("#,") + 2;
    for (std::string_view rest = line.substr(2); !rest.empty();) {
      entry_.flags.emplace_back(trimmed(cut(rest, ',')));
    }
  }

  void begin_entry() {
    if (!started_) place_.before_message = begin_;
    started_ = true;
  }

  void read_message(std::string_view line, bool obsolete) {
    if (line.starts_with('"')) {
      if (!current_) refuse("a string without a keyword before it");
      return append(line);
    }
    const size_t end = line.find_first_of(" \t\"");
    std::string_view keyword = line.substr(0, end);
    std::string_view rest = trimmed(line.substr(std::min(end, line.size())));
    if (!rest.starts_with('"')) refuse("a keyword without a string in quotes");
    std::optional<size_t> form;
    if (keyword.starts_with("msgstr[") && keyword.ends_with("]")) {
      form = form_number(keyword.substr(7, keyword.size() - 8));
      keyword = "msgstr";
    }
    start(keyword, form, obsolete);
    append(rest);
  }

  size_t form_number(std::string_view digits) const {
    if (digits.empty() || digits.size() > 2 ||
        digits.find_first_not_of("0123456789") != digits.npos) {
      refuse("the number of a plural form must be 0 to 99");
    }
    size_t number = 0;
    for (const char c : digits) number = number * 10 + static_cast<size_t>(c - '0');
    return number;
  }

  void start(std::string_view keyword, std::optional<size_t> form, bool obsolete) {
    if (keyword == "msgctxt" || keyword == "msgid") {
      start_message_if_complete();
      begin_entry();
      if (has_id_ || (keyword == "msgctxt" && entry_.context)) refuse("a message without msgstr");
      entry_.obsolete = obsolete;
      if (keyword == "msgctxt") {
        current_ = &entry_.context.emplace();
      } else {
        has_id_ = true;
        entry_.line = number_;
        current_ = &entry_.id;
      }
      if (!message_started_) message_started_ = true, place_.before_message = begin_;
    } else if (keyword == "msgid_plural") {
      if (!has_id_ || entry_.plural || !entry_.translations.empty())
        refuse("msgid_plural must follow msgid");
      current_ = &entry_.plural.emplace();
    } else if (keyword == "msgstr") {
      if (!has_id_) refuse("msgstr must follow msgid");
      if (form.value_or(0) != entry_.translations.size() ||
          form.has_value() != entry_.plural.has_value()) {
        refuse(entry_.plural ? "the forms must be msgstr[0], msgstr[1] and so on"
                             : "a second msgstr of one message");
      }
      if (entry_.translations.empty()) place_.translations = {begin_, end_};
      current_ = &entry_.translations.emplace_back();
    } else {
      refuse("not a keyword of a catalogue: " + std::string(keyword.substr(0, 30)));
    }
  }

  // Appends a string in quotes to the current value.
  void append(std::string_view quoted) {
    size_t at = 1;
    for (; at < quoted.size() && quoted[at] != '"'; ++at) {
      if (quoted[at] != '\\') {
        current_->push_back(quoted[at]);
        continue;
      }
      if (++at == quoted.size()) break;
      append_escape(quoted, at);
    }
    if (at >= quoted.size()) refuse("the string has no closing quote");
    if (at + 1 != quoted.size()) refuse("text behind the string");
    if (!entry_.translations.empty()) place_.translations.end = end_;
  }

  void append_escape(std::string_view text, size_t& at) {
    static constexpr std::pair<char, char> escapes[] = {
        {'n', '\n'}, {'t', '\t'}, {'r', '\r'}, {'"', '"'},   {'\\', '\\'}, {'a', '\a'},
        {'b', '\b'}, {'f', '\f'}, {'v', '\v'}, {'\'', '\''}, {'?', '?'}};
    const auto* found = std::ranges::find(escapes, text[at], &std::pair<char, char>::first);
    if (found != std::end(escapes)) return current_->push_back(found->second);
    const bool hexadecimal = text[at] == 'x';
    const std::string_view digits = hexadecimal ? "0123456789abcdefABCDEF" : "01234567";
    size_t from = hexadecimal ? at + 1 : at, end = from;
    unsigned value = 0;
    for (; end < text.size() && end - from < (hexadecimal ? 2 : 3); ++end) {
      const size_t digit = digits.find(text[end]);
      if (digit == digits.npos) break;
      value =
          value * (hexadecimal ? 16 : 8) + static_cast<unsigned>(digit > 15 ? digit - 6 : digit);
    }
    if (end == from || value > 0xFF) refuse("an unknown escape in the string");
    current_->push_back(static_cast<char>(value));
    at = end - 1;
  }

  void start_message_if_complete() {
    if (!entry_.translations.empty()) finish();
  }

  void finish() {
    if (has_id_ && entry_.translations.empty()) refuse("a message without msgstr");
    if (entry_.context && !has_id_) refuse("msgctxt without msgid");
    if (has_id_) {
      require_text();
      file_.entries_.push_back(std::move(entry_));
      file_.places_.push_back(place_);
    }
    entry_ = {}, place_ = {}, current_ = nullptr;
    has_id_ = started_ = message_started_ = false;
  }

  // Escapes may form bytes that are no text.
  void require_text() const {
    for (const std::string& each : entry_.translations) check(each);
    check(entry_.id);
    check(entry_.plural.value_or(""));
    check(entry_.context.value_or(""));
  }
  void check(const std::string& value) const {
    if (const std::string problem = utf8_problem(value); !problem.empty()) {
      fail("{}:{}: the message is {}; correct it", file_.name_, entry_.line, problem);
    }
  }

  [[noreturn]] void refuse(const std::string& problem) const {
    fail("{}:{}: {}; `msgfmt --check` lists what is wrong with a catalogue", file_.name_, number_,
         problem);
  }

  PoFile& file_;
  std::string_view text_;
  int64_t number_ = 0;
  size_t begin_ = 0, end_ = 0;  // of the line
  PoEntry entry_;
  PoFile::Place place_;
  std::string* current_ = nullptr;
  bool has_id_ = false, started_ = false, message_started_ = false;
};

void parse_messages(PoFile& file) { PoParser(file).parse(); }

}  // namespace calque
