#pragma once
// Words (text between white space) or characters as tokens. White space is Unicode's for words and
// ASCII's for characters. A run of white space becomes one space, except in documents encoded by
// characters, which preserve it. The symbol of a space is U+2581, as in SentencePiece.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/tokenizers/vocabulary.h"

namespace calque {

enum class SymbolUnit { word, character };

struct SymbolModel {
  SymbolUnit unit = SymbolUnit::word;
  Vocabulary vocabulary;

  int32_t size() const { return vocabulary.size(); }
  const std::string& symbol(int32_t id) const { return vocabulary.symbol(id); }
  // What a token that is not special adds to a document (Tokenizer::spelling()).
  std::string spelling(int32_t id) const;
  std::optional<int32_t> newline_id() const { return vocabulary.find(newline_symbol); }

  // Symbols that the vocabulary lacks, and special symbols spelled out in the text, become <unk>.
  void encode(std::string_view text, std::vector<int32_t>& out) const;
  std::string decode(std::span<const int32_t> ids) const;

  // encode() for a line of a document, and decode() for a document with its line ends.
  void encode_line(std::string_view line, std::vector<int32_t>& out) const;
  std::string decode_document(std::span<const int32_t> ids) const;

  // The words of a text, separated by single spaces.
  std::string normalize(std::string_view text) const;
};

using Visit = std::function<void(std::string_view)>;

// Calls visit(symbol) for each symbol of the text, in order.
void for_each_symbol(SymbolUnit unit, std::string_view text, const Visit& visit);

// for_each_symbol() for a line of a document. With characters, white space is preserved as symbols.
void for_each_line_symbol(SymbolUnit unit, std::string_view line, const Visit& visit);

// Calls visit(line) for each line of a text; lines are separated by LF.
void for_each_line(std::string_view text, const Visit& visit);

}  // namespace calque
