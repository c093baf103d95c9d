#pragma once
// The lines of a grammar file, cut into pieces at white space. Pieces in quotes or brackets stay
// whole; a piece that begins with # opens a comment. Messages begin with file and line.

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace calque {

struct GrammarLine {
  std::string_view file;
  int number = 0;
  bool indented = false;  // belongs to the statement above
  std::vector<std::string> pieces;

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> message, Args&&... args) const {
    calque::fail("{}:{}: {}", file, number, fmt::format(message, std::forward<Args>(args)...));
  }
};

// All lines that hold anything.
std::vector<GrammarLine> grammar_lines(std::string_view text, std::string_view file);

// The pieces between separators, such as those of "a | b c".
std::vector<std::vector<std::string>> split_pieces(const std::vector<std::string>& pieces,
                                                   std::string_view separator);

// "a, b<c, d>" cut at its outer commas: "a" and "b<c, d>".
std::vector<std::string> split_arguments(std::string_view text);

// The parts of a text between single spaces.
std::vector<std::string> split_spaces(std::string_view text);

}  // namespace calque
