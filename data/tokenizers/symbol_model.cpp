#include "data/tokenizers/symbol_model.h"

#include <algorithm>

#include "data/text/utf8.h"

namespace calque {
namespace {

bool is_white_space(SymbolUnit unit, char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r');
  if (unit == SymbolUnit::character) return false;
  constexpr std::u32string_view others = U"\u00a0\u1680\u2028\u2029\u202f\u205f\u3000";
  return c == 0x85 || (c >= 0x2000 && c <= 0x200a) || others.find(c) != others.npos;
}

// The parts of the text between white space.
void for_each_word(SymbolUnit unit, std::string_view text, const Visit& visit) {
  size_t begin = 0;
  const auto end_word = [&](size_t end) {
    if (end > begin) visit(text.substr(begin, end - begin));
  };
  for (size_t at = 0; at < text.size();) {
    const size_t here = at;
    if (!is_white_space(unit, next_code_point(text, at))) continue;
    end_word(here);
    begin = at;
  }
  end_word(text.size());
}

void for_each_character(std::string_view text, const Visit& visit) {
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    next_code_point(text, at);
    visit(text.substr(begin, at - begin));
  }
}

// White space as symbols; a vocabulary file cannot hold the characters themselves.
constexpr std::pair<std::string_view, std::string_view> escapes[] = {
    {" ", space_mark}, {"\n", newline_symbol}, {"\t", tab_symbol}, {"\r", return_symbol}};

std::string_view symbol_of(std::string_view character) {
  for (const auto& [own, symbol] : escapes) {
    if (character == own) return symbol;
  }
  return character;
}

std::string_view character_of(std::string_view symbol) {
  for (const auto& [character, own] : escapes) {
    if (symbol == own) return character;
  }
  return symbol;
}

}  // namespace

void for_each_line(std::string_view text, const Visit& visit) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    visit(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

void for_each_symbol(SymbolUnit unit, std::string_view text, const Visit& visit) {
  if (unit == SymbolUnit::word) return for_each_word(unit, text, visit);
  bool first = true;
  for_each_word(unit, text, [&](std::string_view word) {
    if (!first) visit(space_mark);
    first = false;
    for_each_character(word, visit);
  });
}

void for_each_line_symbol(SymbolUnit unit, std::string_view line, const Visit& visit) {
  if (unit == SymbolUnit::word) return for_each_word(unit, line, visit);
  for_each_character(line, [&](std::string_view character) { visit(symbol_of(character)); });
}

void SymbolModel::encode(std::string_view text, std::vector<int32_t>& out) const {
  for_each_symbol(unit, text, [&](std::string_view symbol) {
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
    const bool is_space = unit == SymbolUnit::character && symbol == space_mark;
    text += is_space ? " " : symbol;
  }
  return text;
}

std::string SymbolModel::spelling(int32_t id) const {
  const std::string& own = vocabulary.symbol(id);
  if (unit == SymbolUnit::word) return own == newline_symbol ? "\n" : own;
  return std::string(character_of(own));
}

void SymbolModel::encode_line(std::string_view line, std::vector<int32_t>& out) const {
  for_each_line_symbol(unit, line, [&](std::string_view symbol) {
    // A word that is spelled like newline_symbol is not a line end.
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

std::string SymbolModel::normalize(std::string_view text) const {
  std::string out;
  for_each_word(unit, text, [&](std::string_view word) {
    if (!out.empty()) out += ' ';
    out += word;
  });
  return out;
}

}  // namespace calque
