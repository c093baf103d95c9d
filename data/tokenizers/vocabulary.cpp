#include "data/tokenizers/vocabulary.h"

#include "core/error.h"
#include "data/files/text_lines.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

constexpr int64_t most_symbols = 1 << 24;
constexpr int64_t lines_at_once = 1 << 14;

std::string_view checked_symbol(std::string_view line, const std::string& where) {
  const std::string problem = utf8_problem(line);
  if (!problem.empty()) fail("{}: {}; this is not a vocabulary file", where, problem);
  const std::string_view symbol = line.substr(0, line.find('\t'));
  if (symbol.empty()) fail("{}: an empty symbol; a vocabulary has one symbol per line", where);
  if (symbol.find('\r') != symbol.npos) {
    fail("{}: a carriage return within a symbol; lines end with LF or CR LF", where);
  }
  return symbol;
}

}  // namespace

Vocabulary::Vocabulary() {
  for (const std::string_view symbol : special_symbols) add(std::string(symbol));
}

Vocabulary Vocabulary::load(const std::string& path) {
  const TextLines lines(path);
  if (lines.count() > most_symbols) {
    fail("{}: {} lines; a vocabulary has at most {}", path, lines.count(), most_symbols);
  }
  Vocabulary vocabulary;
  for (int64_t first = 0; first < lines.count();) {
    const LineBlock block = lines.read(first, lines_at_once, longest_line);
    for (size_t i = 0; i < block.lines.size(); ++i) {
      const int64_t id = first + static_cast<int64_t>(i);
      if (block.lines[i].too_long) fail("{}: the line is too long for a symbol", lines.where(id));
      const std::string_view symbol = checked_symbol(block.lines[i].text, lines.where(id));
      if (id < special_ids) {
        if (symbol == special_symbols[id]) continue;
        fail("{}: '{}' instead of {}; the first lines are <unk>, <s>, </s>", lines.where(id),
             symbol.substr(0, 40), special_symbols[id]);
      }
      if (const auto before = vocabulary.find(symbol)) {
        fail("{}: '{}' is a duplicate of line {}; remove one of them", lines.where(id), symbol,
             *before + 1);
      }
      vocabulary.add(std::string(symbol));
    }
    first += std::ssize(block.lines);
  }
  if (lines.count() < special_ids) {
    fail("{}: only {} lines; the first three must be <unk>, <s>, </s>", path, lines.count());
  }
  return vocabulary;
}

int32_t Vocabulary::add(std::string symbol) {
  require(!symbol.empty() && symbol.find_first_of(std::string_view("\t\n\r\0", 4)) == symbol.npos,
          "Vocabulary: '{}' is no symbol", symbol);
  const int32_t id = size();
  require(ids_.emplace(symbol, id).second, "Vocabulary: '{}' twice", symbol);
  symbols_.push_back(std::move(symbol));
  return id;
}

std::optional<int32_t> Vocabulary::find(std::string_view symbol) const {
  const auto found = ids_.find(symbol);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

}  // namespace calque
