#pragma once
// gettext catalogues (.po): messages with their translations. A file is read as a whole; what is
// not changed is written again byte by byte.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats/plural_forms.h"
#include "data/text/text_range.h"

namespace calque {

struct PoEntry {
  std::optional<std::string> context;     // msgctxt
  std::string id;                         // msgid
  std::optional<std::string> plural;      // msgid_plural
  std::vector<std::string> translations;  // msgstr, or msgstr[0], msgstr[1], ...; empty: none yet
  std::vector<std::string> flags;         // fuzzy, c-format, ...
  bool obsolete = false;                  // behind #~
  int64_t line = 0;                       // of msgid

  bool is_header() const { return id.empty() && !context; }
  bool has_flag(std::string_view flag) const;
  bool is_translated() const;  // every form has text, and the entry is not fuzzy
  bool is_empty() const;       // no form has text
};

class PoFile {
 public:
  // `name` names the file in errors. Throws an Error that names the line for text that is no
  // catalogue, and for a charset of the header that iconv does not know.
  static PoFile parse(std::string bytes, const std::string& name);
  // Reads a file, plain, gzip or zstd.
  static PoFile read(const std::string& path);

  const std::vector<PoEntry>& entries() const { return entries_; }

  // The lines of the header from a field's value on, such as "de\n..." for Language; empty: none.
  std::string_view header_from(std::string_view field) const;
  // The plural forms of the header. Absent if it has none, or those of a template. Throws an Error
  // that names the line for others that gettext cannot read.
  std::optional<PluralForms> plural_forms() const;

  // Sets the translations of an entry that is not obsolete, and marks it as fuzzy. A message with a
  // plural may get another number of forms.
  void fill(size_t entry, std::vector<std::string> translations);

  // The bytes of the file. Throws an Error for a translation that its charset lacks.
  std::string bytes() const;

 private:
  friend class PoParser;
  struct Place {
    size_t before_message = 0;        // where a line of flags is inserted
    std::optional<size_t> flags_end;  // behind "#," if there is such a line
    TextRange translations;           // the lines of msgstr
  };

  std::string name_, original_, charset_;
  std::string text_;  // UTF-8, the original unless a charset is converted
  std::string line_end_ = "\n";
  std::vector<PoEntry> entries_;
  std::vector<Place> places_;
  std::vector<size_t> filled_;  // ascending
};

// The lines of a keyword and its string, as gettext writes them: wrapped at 79 columns unless
// `wrap` is false, and behind each \n.
std::string po_lines(std::string_view keyword, std::string_view value, std::string_view line_end,
                     bool wrap);

}  // namespace calque
