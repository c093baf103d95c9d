#include "data/tokenizers/piece_model_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <unordered_set>

#include "data/files/protobuf.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

using Fault = std::optional<std::string>;

constexpr size_t most_pieces = 1 << 22;
constexpr size_t longest_piece = 4000;   // bytes
constexpr int most_nested_symbols = 64;  // user-defined symbols, each a prefix of the next
constexpr int most_nested_rules = 32;    // normalization rules, each a prefix of the next
constexpr int longest_rule = 512;        // bytes

enum PieceType : uint64_t { normal = 1, unknown, control, user_defined, unused, byte };

struct Pieces {
  std::unordered_set<std::string_view> seen;
  std::vector<std::string_view> user_symbols;
  std::vector<bool> found;
  int unknowns = 0;
  int bytes = 0;
};

bool is_one_character(std::string_view text) {
  size_t end = 0;
  next_code_point(text, end);
  return end == text.size();
}

Fault add_piece(std::string_view message, Pieces& pieces) {
  std::string_view text;
  float score = 0;
  uint64_t type = normal;
  ProtobufFields fields(message);
  while (fields.next()) {
    if (fields.number == 1 && fields.is_text()) text = fields.text;
    if (fields.number == 2 && fields.is_float()) score = fields.real();
    if (fields.number == 3 && fields.is_number()) type = fields.value;
  }
  const size_t id = pieces.seen.size();
  if (fields.broken()) return fmt::format("piece {} is damaged", id);
  if (text.empty() || text.size() > longest_piece || find_invalid_utf8(text)) {
    return fmt::format("piece {} has no usable text", id);
  }
  if (!std::isfinite(score)) return fmt::format("the score of piece {} is not a number", id);
  if (type < normal || type > byte) return fmt::format("piece {} is of type {}", id, type);
  if (!pieces.seen.insert(text).second) return fmt::format("piece '{}' occurs twice", text);
  if (pieces.seen.size() > most_pieces) return fmt::format("more than {} pieces", most_pieces);
  // The library cannot encode a text with such a character.
  if (type == control && is_one_character(text)) {
    return fmt::format("control piece '{}' is a single character", text);
  }
  pieces.found.push_back(type == normal);
  if (type == unknown) ++pieces.unknowns;
  if (type == user_defined) pieces.user_symbols.push_back(text);
  if (type == byte) {
    const bool named = text.size() == 6 && text.starts_with("<0x") && text.ends_with('>');
    if (!named) return fmt::format("byte piece '{}' names no byte", text);
    ++pieces.bytes;
  }
  return std::nullopt;
}

// The length of the longest chain in which each symbol is a prefix of the next: 3 for "a", "ab",
// "abc".
int deepest_nesting(std::vector<std::string_view> symbols) {
  std::ranges::sort(symbols);
  std::vector<std::string_view> chain;
  size_t deepest = 0;
  for (const std::string_view symbol : symbols) {
    while (!chain.empty() && !symbol.starts_with(chain.back())) chain.pop_back();
    chain.push_back(symbol);
    deepest = std::max(deepest, chain.size());
  }
  return static_cast<int>(deepest);
}

// The compiled normalization rules: [size of the trie][trie][replacements, each ended by a NUL].
// The trie is a double array of 32-bit units. Bits 0-7 and 31 of a unit are its label. Bit 8 is set
// if its first child is a leaf, which holds the offset of the replacement. The children of the unit
// at p lie at p ^ offset ^ label, where offset is bits 10-30, shifted by 8 if bit 9 is set.
class RulesCheck {
 public:
  explicit RulesCheck(std::string_view blob) : blob_(blob) {}

  Fault fault() {
    if (blob_.empty()) return std::nullopt;
    uint32_t size = 0;
    if (blob_.size() <= sizeof size) return "the normalisation rules are cut off";
    std::memcpy(&size, blob_.data(), sizeof size);
    if (size % 4 != 0 || size == 0 || size >= blob_.size() - sizeof size) {
      return "the normalisation rules give a wrong size";
    }
    units_.resize(size / 4);
    std::memcpy(units_.data(), blob_.data() + sizeof size, size);
    replacements_ = blob_.substr(sizeof size + size);
    if (replacements_.back() != '\0') return "the last normalisation rule does not end";
    return walk();
  }

 private:
  static constexpr int unvisited = -1, on_path = -2;

  static uint32_t children_of(uint32_t at, uint32_t unit) {
    return at ^ ((unit >> 10) << ((unit & 0x200) >> 6));
  }

  Fault walk() {
    rules_below_.assign(units_.size(), unvisited);
    if (Fault fault = visit(0, 0)) return fault;
    if (rules_below_[0] > most_nested_rules) {
      return "too many normalisation rules are prefixes of one another";
    }
    return std::nullopt;
  }

  // Visits every node that a search can reach. Rules may share nodes, but cycles are refused.
  Fault visit(uint32_t at, int depth) {
    if (depth > longest_rule) return "a normalisation rule is too long";
    const uint32_t base = children_of(at, units_[at]);
    if ((base | 0xFF) >= units_.size()) return "the normalisation rules point outside their table";
    const bool ends_here = (units_[at] & 0x100) != 0;
    if (ends_here && (units_[base] & 0x7FFFFFFF) >= replacements_.size()) {
      return "a normalisation rule points outside the replacements";
    }
    rules_below_[at] = on_path;
    int most = 0;
    for (uint32_t label = 1; label < 256; ++label) {
      const uint32_t child = base ^ label;
      if ((units_[child] & 0x800000FF) != label) continue;
      if (rules_below_[child] == on_path) return "the normalisation rules have a cycle";
      if (rules_below_[child] == unvisited) {
        if (Fault fault = visit(child, depth + 1)) return fault;
      }
      most = std::max(most, rules_below_[child]);
    }
    rules_below_[at] = most + (ends_here ? 1 : 0);
    return std::nullopt;
  }

  std::string_view blob_, replacements_;
  std::vector<uint32_t> units_;
  std::vector<int> rules_below_;  // the most rules on a path from a node down, itself included
};

Fault normalizer_fault(std::string_view message) {
  std::string_view rules;
  ProtobufFields fields(message);
  while (fields.next()) {
    if (fields.number == 2 && fields.is_text()) rules = fields.text;
  }
  if (fields.broken()) return "the normalisation settings are damaged";
  return RulesCheck(rules).fault();
}

Fault trainer_fault(std::string_view message, bool& bpe, bool& byte_fallback) {
  constexpr uint64_t model_type = 3, byte_fallback_field = 35, bpe_type = 2;
  bpe = false;
  ProtobufFields fields(message);
  while (fields.next()) {
    if (fields.number == model_type && (fields.value < 1 || fields.value > 4)) {
      return fmt::format("model type {} is unknown", fields.value);
    }
    if (fields.number == model_type) bpe = fields.value == bpe_type;
    if (fields.number == byte_fallback_field) byte_fallback = fields.value != 0;
  }
  if (fields.broken()) return "the training settings are damaged";
  return std::nullopt;
}

Fault model_fault(std::string_view bytes, Pieces& pieces, bool& bpe) {
  bool byte_fallback = false;
  ProtobufFields fields(bytes);
  while (fields.next()) {
    if (!fields.is_text()) continue;
    Fault fault;
    if (fields.number == 1) fault = add_piece(fields.text, pieces);
    if (fields.number == 2) fault = trainer_fault(fields.text, bpe, byte_fallback);
    if (fields.number == 3 || fields.number == 5) fault = normalizer_fault(fields.text);
    if (fault) return fault;
  }
  if (fields.broken()) return "the file is damaged or of another kind";
  if (pieces.seen.empty()) return "it has no pieces";
  if (pieces.unknowns != 1) return fmt::format("{} unknown symbols, not 1", pieces.unknowns);
  if (pieces.bytes != (byte_fallback ? 256 : 0)) {
    return fmt::format("{} byte pieces, not {}", pieces.bytes, byte_fallback ? 256 : 0);
  }
  if (deepest_nesting(std::move(pieces.user_symbols)) > most_nested_symbols) {
    return "too many user-defined symbols are prefixes of one another";
  }
  return std::nullopt;
}

}  // namespace

PieceModelReport check_piece_model(std::string_view bytes) {
  PieceModelReport report;
  Pieces pieces;
  report.fault = model_fault(bytes, pieces, report.bpe);
  report.found = std::move(pieces.found);
  return report;
}

}  // namespace calque
