#pragma once
// The lines of a grammar file, split at white space into fields. Quotes and brackets hold a field
// together; a field that begins with # starts a comment. Messages begin with file and line.

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace calque {

struct GrammarLine {
  std::string_view file;
  int number = 0;
  bool indented = false;  // belongs to the statement above
  std::vector<std::string> fields;

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> message, Args&&... args) const {
    calque::fail("{}:{}: {}", file, number, fmt::format(message, std::forward<Args>(args)...));
  }
};

// The lines that have fields.
std::vector<GrammarLine> grammar_lines(std::string_view text, std::string_view file);

// The groups of fields between separators: "a | b c" has two.
std::vector<std::vector<std::string>> split_fields(const std::vector<std::string>& fields,
                                                   std::string_view separator);

// "a,b<c,d>" cut at its outer commas: "a" and "b<c,d>".
std::vector<std::string> split_arguments(std::string_view text);

// The parts of a text between spaces, none of them empty.
std::vector<std::string> split_spaces(std::string_view text);

}  // namespace calque
