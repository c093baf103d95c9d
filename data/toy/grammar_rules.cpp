#include "data/toy/grammar_rules.h"

#include <algorithm>

namespace calque {
namespace {

int32_t child_index(const RuleShape& shape, const std::string& name) {
  const auto found = std::find(shape.names.begin(), shape.names.end(), name);
  return found == shape.names.end() ? -1 : static_cast<int32_t>(found - shape.names.begin());
}

// What a side without a line of its own writes.
Template in_order(const RuleShape& shape) {
  Template result;
  for (size_t i = 0; i < shape.children.size(); ++i) {
    result.items.push_back({Item::Kind::child, static_cast<int32_t>(i), {}, {}});
  }
  return result;
}

// The names in "[a b]".
std::vector<std::string> bracketed(std::string_view text, const GrammarLine& line) {
  if (text.size() < 3 || text.front() != '[' || text.back() != ']') {
    line.fail("'{}' should be [NAME...]", text);
  }
  return split_spaces(text.substr(1, text.size() - 2));
}

}  // namespace

void RuleReader::read_rule(const GrammarBlock& block) {
  const GrammarLine& line = *block.head;
  if (line.pieces.size() < 3 || line.pieces[2] != "->") line.fail("write: rule NAME -> CHILD...");
  for (auto& pieces : split_pieces({line.pieces.begin() + 3, line.pieces.end()}, "|")) {
    shapes_.push_back(read_alternative(std::move(pieces), block));
  }
}

RuleShape RuleReader::read_alternative(std::vector<std::string> pieces, const GrammarBlock& block) {
  const GrammarLine& line = *block.head;
  RuleShape shape;
  shape.head = read_pattern(line.pieces[1], line);
  shape.line = block.head;
  shape.rule.line = line.number;
  if (!pieces.empty() && pieces.back().starts_with('@')) {
    shape.rule.label = label(pieces.back().substr(1));
    pieces.pop_back();
  }
  shape.rule.weight = WordReader::take_weight(pieces, line);
  if (!pieces.empty() && pieces.back().starts_with('[')) {
    for (const std::string& name : bracketed(pieces.back(), line)) {
      words_.set_value(name, shape.rule.features, line);
    }
    pieces.pop_back();
  }
  for (const std::string& piece : pieces) read_child(piece, shape);
  for (const GrammarLine& row : block.body) read_template(row, shape);
  for (auto& side : shape.rule.sides) {
    if (side.empty()) side.push_back(in_order(shape));
  }
  return shape;
}

// [NAME:]CATEGORY[^]
void RuleReader::read_child(std::string piece, RuleShape& shape) const {
  if (shape.children.size() == most_children) {
    shape.line->fail("more than {} children", most_children);
  }
  if (piece.back() == '^') {
    piece.pop_back();
    shape.rule.heads |= 1u << shape.children.size();
  }
  const size_t colon = piece.find(':');
  const std::string category = colon == std::string::npos ? piece : piece.substr(colon + 1);
  const Pattern pattern = read_pattern(category, *shape.line);
  const std::string name = colon == std::string::npos ? pattern.name : piece.substr(0, colon);
  if (child_index(shape, name) >= 0) {
    shape.line->fail("two children are called '{0}': write other:{0} for one", name);
  }
  shape.children.push_back(category);
  shape.names.push_back(name);
}

// LANGUAGE[VALUE...] ITEM...
void RuleReader::read_template(const GrammarLine& line, RuleShape& shape) {
  std::string language = line.pieces[0];
  Template result;
  if (const size_t open = language.find('['); open != std::string::npos) {
    for (const std::string& name : bracketed(language.substr(open), line)) {
      const auto found = words_.value(name);
      if (!found) line.fail("no feature has the value '{}'", name);
      result.guard[found->first] |= 1u << found->second;
    }
    language.resize(open);
  }
  const size_t which = side(language, line);
  for (size_t i = 1; i < line.pieces.size(); ++i) read_item(line.pieces[i], line, shape, result);
  shape.rule.sides[which].push_back(std::move(result));
}

// "TEXT", or NAME[CHILD-OR-VALUE...] of a child or a table
void RuleReader::read_item(const std::string& piece, const GrammarLine& line,
                           const RuleShape& shape, Template& out) {
  if (piece.front() == '"') {
    if (piece.size() < 3 || piece.back() != '"') line.fail("{} is no text in quotes", piece);
    const auto text = std::string_view(piece).substr(1, piece.size() - 2);
    for (const std::string& word : split_spaces(text)) {
      if (word == "-") line.fail("'-' stands for nothing: it cannot be a text");
      out.items.push_back({Item::Kind::literal, words_.token(word), {}, {}});
    }
    return;
  }
  Item item;
  const size_t open = piece.find('[');
  const std::string name = piece.substr(0, open);
  if (const int32_t child = child_index(shape, name); child >= 0) {
    item.kind = Item::Kind::child;
    item.index = child;
  } else if (const auto table = words_.plain_table(name, line)) {
    item.kind = Item::Kind::table;
    item.index = *table;
  } else {
    line.fail("'{}' is neither a child of the rule nor a table; texts are in quotes", name);
  }
  if (open != std::string::npos) {
    for (const std::string& given : bracketed(piece.substr(open), line)) {
      if (const int32_t other = child_index(shape, given); other >= 0) {
        item.agrees.push_back(other);
      } else {
        words_.set_value(given, item.set, line);
      }
    }
  }
  out.items.push_back(std::move(item));
}

void RuleReader::read_rewrites(const GrammarBlock& block) {
  if (block.head->pieces.size() != 2) block.head->fail("write: rewrite LANGUAGE");
  auto& rewrites = grammar_.rewrites[side(block.head->pieces[1], *block.head)];
  for (const GrammarLine& line : block.body) {
    if (line.pieces.size() != 4 || line.pieces[2] != "->") line.fail("write: LEFT RIGHT -> RESULT");
    rewrites[words_.token(line.pieces[0])].push_back(read_rewrite(line));
  }
}

Rewrite RuleReader::read_rewrite(const GrammarLine& line) {
  Rewrite rewrite;
  const std::string& right = line.pieces[1];
  if (right.size() > 2 && right.front() == '<' && right.back() == '>') {
    rewrite.letters = words_.letter_set(right.substr(1, right.size() - 2), line);
  } else {
    rewrite.right = words_.token(right);
  }
  rewrite.result = words_.token(line.pieces[3]);
  if (rewrite.result == no_token || (rewrite.letters == 0 && rewrite.right == no_token)) {
    line.fail("'-' stands for nothing: it cannot be rewritten");
  }
  return rewrite;
}

// The number of a construction's label; those not met before are added.
int32_t RuleReader::label(const std::string& name) {
  const auto found = std::find(grammar_.labels.begin(), grammar_.labels.end(), name);
  const auto number = static_cast<int32_t>(found - grammar_.labels.begin());
  if (found == grammar_.labels.end()) grammar_.labels.push_back(name);
  return number;
}

size_t RuleReader::side(const std::string& language, const GrammarLine& line) const {
  for (size_t i = 0; i < grammar_.languages.size(); ++i) {
    if (!language.empty() && grammar_.languages[i] == language) return i;
  }
  line.fail("'{}' is not one of the languages", language);
}

}  // namespace calque
