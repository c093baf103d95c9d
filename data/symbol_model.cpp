#include "data/symbol_model.h"

#include <algorithm>

#include "data/utf8.h"

namespace calque {
namespace {

constexpr std::string_view white_space = " \t\r\n\v\f";
constexpr std::string_view space_symbol = "\u2581";

template <class Visit>
void for_each_word(std::string_view text, Visit visit) {
  for (size_t at = 0; (at = text.find_first_not_of(white_space, at)) != text.npos;) {
    const size_t end = std::min(text.find_first_of(white_space, at), text.size());
    visit(text.substr(at, end - at));
    at = end;
  }
}

template <class Visit>
void visit_symbols(SymbolUnit unit, std::string_view text, Visit visit) {
  if (unit == SymbolUnit::word) return for_each_word(text, visit);
  bool first = true;
  for_each_word(text, [&](std::string_view word) {
    if (!first) visit(space_symbol);
    first = false;
    for (size_t at = 0; at < word.size();) {
      const size_t begin = at;
      next_code_point(word, at);
      visit(word.substr(begin, at - begin));
    }
  });
}

// A space or what a vocabulary file cannot hold, by the name of its symbol.
std::string_view symbol_of(std::string_view character) {
  if (character == " ") return space_symbol;
  if (character == "\n") return newline_symbol;
  if (character == "\t") return tab_symbol;
  if (character == "\r") return return_symbol;
  return character;
}

template <class Visit>
void visit_line_symbols(SymbolUnit unit, std::string_view line, Visit visit) {
  if (unit == SymbolUnit::word) return for_each_word(line, visit);
  for (size_t at = 0; at < line.size();) {
    const size_t begin = at;
    next_code_point(line, at);
    visit(symbol_of(line.substr(begin, at - begin)));
  }
}

std::string_view character_of(std::string_view symbol) {
  for (const std::string_view character : {" ", "\n", "\t", "\r"}) {
    if (symbol == symbol_of(character)) return character;
  }
  return symbol;
}

}  // namespace

void for_each_line(std::string_view text, const std::function<void(std::string_view)>& visit) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    visit(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

void for_each_line_symbol(SymbolUnit unit, std::string_view line,
                          const std::function<void(std::string_view)>& visit) {
  visit_line_symbols(unit, line, [&](std::string_view symbol) { visit(symbol); });
}

void for_each_symbol(SymbolUnit unit, std::string_view text,
                     const std::function<void(std::string_view)>& visit) {
  visit_symbols(unit, text, [&](std::string_view symbol) { visit(symbol); });
}

void SymbolModel::encode(std::string_view text, std::vector<int32_t>& out) const {
  visit_symbols(unit, text, [&](std::string_view symbol) {
    const int32_t id = vocabulary.find(symbol).value_or(unknown_id);
    out.push_back(id < special_ids ? unknown_id : id);
  });
}

std::string SymbolModel::decode(std::span<const int32_t> ids) const {
  std::string text;
  for (const int32_t id : ids) {
    if (id == begin_id || id == end_id) continue;
    const std::string& symbol = vocabulary.symbol(id);
    if (unit == SymbolUnit::word && !text.empty()) text += ' ';
    const bool is_space = unit == SymbolUnit::character && symbol == space_symbol;
    text += is_space ? " " : symbol;
  }
  return text;
}

void SymbolModel::encode_line(std::string_view line, std::vector<int32_t>& out) const {
  visit_line_symbols(unit, line, [&](std::string_view symbol) {
    // A word that is spelt like the escape of the line end is none.
    const bool escape = unit == SymbolUnit::word && symbol == newline_symbol;
    const int32_t id = escape ? unknown_id : vocabulary.find(symbol).value_or(unknown_id);
    out.push_back(id < special_ids ? unknown_id : id);
  });
}

std::string SymbolModel::decode_document(std::span<const int32_t> ids) const {
  std::string text;
  for (const int32_t id : ids) {
    if (id == begin_id || id == end_id) continue;
    const std::string& symbol = vocabulary.symbol(id);
    if (unit == SymbolUnit::character) {
      text += character_of(symbol);
    } else if (symbol == newline_symbol) {
      text += '\n';
    } else {
      if (!text.empty() && text.back() != '\n') text += ' ';
      text += symbol;
    }
  }
  return text;
}

std::string collapse_spaces(std::string_view text) {
  std::string out;
  for_each_word(text, [&](std::string_view word) {
    if (!out.empty()) out += ' ';
    out += word;
  });
  return out;
}

}  // namespace calque
