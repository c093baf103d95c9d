#include "data/formats/po.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/error.h"
#include "data/formats/whole_file.h"
#include "data/text/charset.h"
#include "data/text/letter_case.h"
#include "data/text/lowercase.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

constexpr std::string_view blanks = " \t\r\f\v";

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

// The lines of the first message if its msgid is empty. They are ASCII in every charset that
// catalogues have.
std::string header_of(std::string_view text) {
  std::string header;
  int64_t lines = 0;
  while (!text.empty()) {
    const size_t feed = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, feed));
    text.remove_prefix(std::min(feed + 1, text.size()));
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

// The charset that the header names, or UTF-8.
std::string charset_of(std::string_view text) {
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

std::string escaped(std::string_view text) {
  static constexpr std::pair<char, char> escapes[] = {{'\n', 'n'}, {'\t', 't'},  {'\r', 'r'},
                                                      {'"', '"'},  {'\\', '\\'}, {'\a', 'a'},
                                                      {'\b', 'b'}, {'\f', 'f'},  {'\v', 'v'}};
  std::string out;
  for (const char c : text) {
    const auto* found = std::ranges::find(escapes, c, &std::pair<char, char>::first);
    if (found == std::end(escapes)) {
      out += c;
    } else {
      (out += '\\') += found->second;
    }
  }
  return out;
}

}  // namespace

bool PoEntry::has_flag(std::string_view flag) const {
  return std::ranges::find(flags, flag) != flags.end();
}

bool PoEntry::is_translated() const {
  return !has_flag("fuzzy") && !translations.empty() &&
         std::ranges::none_of(translations, &std::string::empty);
}

bool PoEntry::is_empty() const { return std::ranges::all_of(translations, &std::string::empty); }

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
      const size_t comma = std::min(rest.find(','), rest.size());
      entry_.flags.emplace_back(trimmed(rest.substr(0, comma)));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
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

PoFile PoFile::parse(std::string bytes, const std::string& name) {
  PoFile file;
  file.name_ = name;
  file.original_ = std::move(bytes);
  file.charset_ = charset_of(file.original_);
  if (file.charset_ == "UTF-8") {
    if (const auto bad = find_invalid_utf8(file.original_)) {
      fail("{}:{}: {}; correct the charset of the header, or the line", name,
           1 + std::ranges::count(file.original_.substr(0, *bad), '\n'),
           utf8_problem(file.original_));
    }
    file.text_ = file.original_;
  } else {
    file.text_ = converted(file.original_, file.charset_, "UTF-8", name);
    if (find_invalid_utf8(file.text_)) fail("{}: has a NUL; it is no catalogue", name);
  }
  PoParser(file).parse();
  return file;
}

PoFile PoFile::read(const std::string& path) { return parse(whole_file(path), path); }

void PoFile::fill(size_t entry, std::vector<std::string> translations) {
  PoEntry& own = entries_.at(entry);
  require(!own.obsolete && translations.size() == own.translations.size(),
          "PoFile::fill: {} translations for {} forms", translations.size(),
          own.translations.size());
  own.translations = std::move(translations);
  if (!own.has_flag("fuzzy")) own.flags.emplace_back("fuzzy");
  filled_.insert(std::ranges::lower_bound(filled_, entry), entry);
}

std::string PoFile::bytes() const {
  if (filled_.empty()) return original_;
  std::string out;
  size_t at = 0;
  const auto keep_until = [&](size_t end) {
    out.append(text_, at, end - at);
    at = end;
  };
  for (const size_t i : filled_) {
    const PoEntry& entry = entries_[i];
    const Place& place = places_[i];
    const bool was_fuzzy =
        place.flags_end &&
        text_.substr(*place.flags_end, text_.find('\n', *place.flags_end) - *place.flags_end)
                .find("fuzzy") != std::string::npos;
    if (!was_fuzzy) {
      keep_until(place.flags_end.value_or(place.before_message));
      out += place.flags_end ? " fuzzy," : "#, fuzzy" + line_end_;
    }
    keep_until(place.translations.begin);
    const bool wrap = !entry.has_flag("no-wrap");
    for (size_t form = 0; form < entry.translations.size(); ++form) {
      const std::string keyword = entry.plural ? fmt::format("msgstr[{}]", form) : "msgstr";
      out += po_lines(keyword, entry.translations[form], line_end_, wrap);
    }
    at = place.translations.end;
  }
  keep_until(text_.size());
  return charset_ == "UTF-8" ? out : converted(out, "UTF-8", charset_, name_);
}

std::string po_lines(std::string_view keyword, std::string_view value, std::string_view line_end,
                     bool wrap) {
  constexpr int64_t columns = 79;
  const auto line = [&](std::string_view before, std::string_view text) {
    return fmt::format("{}\"{}\"{}", before, escaped(text), line_end);
  };
  const auto width = [](std::string_view text) { return count_code_points(escaped(text)) + 2; };
  const size_t feed = value.find('\n');
  const bool one_line = feed == value.npos || feed + 1 == value.size();
  const std::string start = std::string(keyword) + " ";
  if (one_line && (!wrap || std::ssize(start) + width(value) <= columns)) return line(start, value);
  std::string lines = line(start, "");
  for (size_t at = 0; at < value.size();) {
    const size_t end = std::min(value.find('\n', at), value.size() - 1) + 1;
    size_t stop = end;
    if (wrap && width(value.substr(at, end - at)) > columns) {
      stop = at;  // behind the last space that fits, or else the first one
      for (size_t space = value.find(' ', at); space < end; space = value.find(' ', space + 1)) {
        if (stop > at && width(value.substr(at, space + 1 - at)) > columns) break;
        stop = space + 1;
      }
      if (stop == at) stop = end;
    }
    lines += line("", value.substr(at, stop - at));
    at = stop;
  }
  return lines;
}

}  // namespace calque
