#pragma once
// Reads the features, letter sets, tables of forms and words of a grammar.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "data/toy/grammar.h"
#include "data/toy/grammar_lines.h"

namespace calque {

// A statement and the indented lines below it.
struct GrammarBlock {
  const GrammarLine* head = nullptr;
  std::span<const GrammarLine> body;
};

class WordReader {
 public:
  explicit WordReader(Grammar& grammar) : grammar_(grammar) {}

  void read_feature(const GrammarBlock& block);  // feature NAME VALUE...
  void read_letters(const GrammarBlock& block);  // letters NAME LETTER...
  void read_table(const GrammarBlock& block);    // table NAME FEATURE... / VALUE... : CELL...
  void read_words(const GrammarBlock& block);    // words NAME [TABLE] | [TABLE] / entries

  // The index of the token with this spelling in the file; no_token for "-".
  int32_t token(const std::string& written);
  // The index of the value's feature, and the number of the value; nothing for an unknown name.
  std::optional<std::pair<size_t, uint8_t>> value(const std::string& name) const;
  void set_value(const std::string& name, Features& features, const GrammarLine& line) const;
  // The index of a table without parts; nothing for an unknown name.
  std::optional<int32_t> plain_table(const std::string& name, const GrammarLine& line);
  uint32_t letter_set(const std::string& name, const GrammarLine& line) const;
  // Sets Token::letters. Call it after the last token and letter set.
  void mark_letters();
  // Removes a trailing *N from the fields and returns N; without it, returns 1.
  static int64_t take_weight(std::vector<std::string>& fields, const GrammarLine& line);

  struct Class {
    std::vector<int32_t> words;
    const GrammarLine* line = nullptr;
  };
  const std::map<std::string, Class>& classes() const { return classes_; }

 private:
  // Cells are as in the file: digits stand for the parts of a word.
  struct Table {
    std::vector<size_t> features;
    std::vector<std::string> cells;
    int parts = 0;
  };
  void read_row(Table& table, const GrammarLine& line) const;
  void check_table(const std::string& name, const Table& table, const GrammarLine& line) const;
  const Table& table(const std::string& name, const GrammarLine& line) const;
  Forms fill(const Table& table, const std::string& name, std::span<const std::string> parts,
             const GrammarLine& line);
  Forms read_side(const std::vector<std::string>& fields, const std::string& usual,
                  Features& features, std::string& name, const GrammarLine& line);

  Grammar& grammar_;
  std::unordered_map<std::string, int32_t> tokens_;
  std::vector<std::string> written_;  // of each token
  std::vector<std::pair<std::string, std::vector<std::string>>> letters_;
  std::map<std::string, Table> tables_;
  std::map<std::string, int32_t> plain_tables_;
  std::map<std::string, Class> classes_;
};

}  // namespace calque
