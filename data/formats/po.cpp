#include "data/formats/po.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "data/formats/po_parser.h"
#include "data/formats/whole_file.h"
#include "data/text/charset.h"
#include "data/text/code_points.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

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

PoFile PoFile::parse(std::string bytes, const std::string& name) {
  PoFile file;
  file.name_ = name;
  file.original_ = std::move(bytes);
  file.charset_ = po_charset(file.original_);
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
  parse_messages(file);
  return file;
}

PoFile PoFile::read(const std::string& path) { return parse(whole_file(path), path); }

std::string_view PoFile::header_from(std::string_view field) const {
  for (const PoEntry& entry : entries_) {
    if (!entry.is_header() || entry.translations.empty()) continue;
    std::string_view rest = entry.translations.front();
    while (!rest.empty()) {
      if (rest.starts_with(field) && rest.substr(field.size()).starts_with(':')) {
        rest.remove_prefix(field.size() + 1);
        return rest.substr(std::min(rest.find_first_not_of(" \t"), rest.size()));
      }
      cut(rest, '\n');
    }
    break;
  }
  return {};
}

std::optional<PluralForms> PoFile::plural_forms() const {
  const std::string_view field = header_from("Plural-Forms");
  if (field.empty() || field.starts_with("nplurals=INTEGER")) return std::nullopt;
  ReadPluralForms read = read_plural_forms(field);
  if (!read.problem.empty()) {
    const size_t at = std::min(text_.find("Plural-Forms:"), text_.size());
    fail("{}:{}: Plural-Forms: {}; `msgfmt --check` lists what is wrong with a catalogue", name_,
         1 + std::count(text_.begin(), text_.begin() + static_cast<int64_t>(at), '\n'),
         read.problem);
  }
  return std::move(read.forms);
}

void PoFile::fill(size_t entry, std::vector<std::string> translations) {
  PoEntry& own = entries_.at(entry);
  require(!own.obsolete && !translations.empty() &&
              (own.plural || translations.size() == own.translations.size()),
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
