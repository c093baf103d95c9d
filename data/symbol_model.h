#pragma once
// The two plain tokenizers: a symbol is a word (what stands between white space) or a character.
// White space is ASCII's, and a run of it counts as one space, except in documents by characters,
// which keep all of it; as a symbol, a space is written as SentencePiece writes it, U+2581.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/vocabulary.h"

namespace calque {

enum class SymbolUnit { word, character };

struct SymbolModel {
  SymbolUnit unit = SymbolUnit::word;
  Vocabulary vocabulary;

  // What the vocabulary lacks, and special symbols that the text spells out, become <unk>.
  void encode(std::string_view text, std::vector<int32_t>& out) const;
  std::string decode(std::span<const int32_t> ids) const;

  // The same for a line of a document, and for documents with their line ends.
  void encode_line(std::string_view line, std::vector<int32_t>& out) const;
  std::string decode_document(std::span<const int32_t> ids) const;
};

// Calls visit(symbol) for each symbol of the text, in order.
void for_each_symbol(SymbolUnit unit, std::string_view text,
                     const std::function<void(std::string_view)>& visit);

// The same for a line of a document: of characters, white space too, each by its symbol or escape.
void for_each_line_symbol(SymbolUnit unit, std::string_view line,
                          const std::function<void(std::string_view)>& visit);

// Calls visit(line) for each line of a text; lines are separated by LF.
void for_each_line(std::string_view text, const std::function<void(std::string_view)>& visit);

// The words of a text with one space between each two.
std::string collapse_spaces(std::string_view text);

}  // namespace calque
