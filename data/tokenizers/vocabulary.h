#pragma once
// The symbols of a tokenizer and their ids. A vocabulary file has one symbol per line: line n is id
// n - 1, the special symbols first. Text after a tab is ignored. White space that a line cannot
// hold is written as an escape.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace calque {

// The special symbols have the same ids in every tokenizer.
inline constexpr int32_t unknown_id = 0;  // <unk>
inline constexpr int32_t begin_id = 1;    // <s>
inline constexpr int32_t end_id = 2;      // </s>
inline constexpr int32_t special_ids = 3;
inline constexpr std::string_view special_symbols[special_ids] = {"<unk>", "<s>", "</s>"};

// The character that stands for a space in pieces and in vocabularies of characters.
inline constexpr std::string_view space_mark = "\u2581";

// The escapes for white space in documents.
inline constexpr std::string_view newline_symbol = "<n>", tab_symbol = "<t>", return_symbol = "<r>";

class Vocabulary {
 public:
  // The special symbols alone.
  Vocabulary();

  // Throws an Error for text that is not UTF-8, for a symbol that is empty, repeated or has a
  // carriage return, and if the first three lines are not the special symbols.
  static Vocabulary load(const std::string& path);

  // Returns the id. Requires a new symbol that is not empty and holds no tab or line end.
  int32_t add(std::string symbol);

  int32_t size() const { return static_cast<int32_t>(symbols_.size()); }
  const std::string& symbol(int32_t id) const { return symbols_[id]; }
  std::optional<int32_t> find(std::string_view symbol) const;

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::vector<std::string> symbols_;
  std::unordered_map<std::string, int32_t, Hash, std::equal_to<>> ids_;
};

}  // namespace calque
