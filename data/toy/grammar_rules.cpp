#include "data/toy/grammar_rules.h"

#include <algorithm>

namespace calque {
namespace {

bool is_variable(std::string_view text) {
  return text.size() == 1 && text[0] >= 'A' && text[0] <= 'Z';
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

int32_t child_index(const RuleShape& shape, const std::string& name) {
  const auto found = std::ranges::find(shape.names, name);
  return found == shape.names.end() ? -1 : static_cast<int32_t>(found - shape.names.begin());
}

// The template of a side without lines in the file: the children in order.
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

Pattern read_pattern(const std::string& text, const GrammarLine& line) {
  Pattern pattern;
  const size_t open = text.find('<');
  pattern.name = text.substr(0, open);
  const bool named = !pattern.name.empty() &&
                     std::all_of(pattern.name.begin(), pattern.name.end(), is_name_character);
  if (!named || (open != std::string::npos && text.back() != '>')) {
    line.fail("'{}' is not a category: write Name or Name<Argument>", text);
  }
  if (open != std::string::npos) {
    pattern.arguments =
        split_arguments(std::string_view(text).substr(open + 1, text.size() - open - 2));
  }
  return pattern;
}

bool matches(const Pattern& head, const Pattern& wanted, Bindings& bindings) {
  if (head.name != wanted.name || head.arguments.size() != wanted.arguments.size()) return false;
  for (size_t i = 0; i < head.arguments.size(); ++i) {
    if (is_variable(head.arguments[i])) {
      const auto [found, added] = bindings.emplace(head.arguments[i], wanted.arguments[i]);
      if (!added && found->second != wanted.arguments[i]) return false;
    } else if (head.arguments[i] != wanted.arguments[i]) {
      return false;
    }
  }
  return true;
}

std::string substitute(std::string_view text, const Bindings& bindings) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && is_name_character(text[end])) ++end;
    const auto found = bindings.find(text.substr(at, end - at));
    result += found != bindings.end() ? std::string_view(found->second) : text.substr(at, end - at);
    if (end < text.size()) result += text[end++];
    at = end;
  }
  return result;
}

void RuleReader::read_rule(const GrammarBlock& block) {
  const GrammarLine& line = *block.head;
  if (line.fields.size() < 3 || line.fields[2] != "->") line.fail("write: rule NAME -> CHILD...");
  for (auto& fields : split_fields({line.fields.begin() + 3, line.fields.end()}, "|")) {
    shapes_.push_back(read_alternative(std::move(fields), block));
  }
}

RuleShape RuleReader::read_alternative(std::vector<std::string> fields, const GrammarBlock& block) {
  const GrammarLine& line = *block.head;
  RuleShape shape;
  shape.head = read_pattern(line.fields[1], line);
  shape.line = block.head;
  shape.rule.line = line.number;
  if (!fields.empty() && fields.back().starts_with('@')) {
    shape.rule.label = label(fields.back().substr(1));
    fields.pop_back();
  }
  shape.rule.weight = WordReader::take_weight(fields, line);
  if (!fields.empty() && fields.back().starts_with('[')) {
    for (const std::string& name : bracketed(fields.back(), line)) {
      words_.set_value(name, shape.rule.features, line);
    }
    fields.pop_back();
  }
  for (const std::string& field : fields) read_child(field, shape);
  for (const GrammarLine& row : block.body) read_template(row, shape);
  for (auto& side : shape.rule.sides) {
    if (side.empty()) side.push_back(in_order(shape));
  }
  return shape;
}

// [NAME:]CATEGORY[^]
void RuleReader::read_child(std::string field, RuleShape& shape) const {
  if (shape.children.size() == most_children) {
    shape.line->fail("more than {} children", most_children);
  }
  if (field.back() == '^') {
    field.pop_back();
    shape.rule.heads |= 1u << shape.children.size();
  }
  const size_t colon = field.find(':');
  const std::string category = colon == std::string::npos ? field : field.substr(colon + 1);
  const Pattern pattern = read_pattern(category, *shape.line);
  const std::string name = colon == std::string::npos ? pattern.name : field.substr(0, colon);
  if (child_index(shape, name) >= 0) {
    shape.line->fail("two children are called '{0}': write other:{0} for one", name);
  }
  shape.children.push_back(category);
  shape.names.push_back(name);
}

// LANGUAGE[VALUE...] ITEM...
void RuleReader::read_template(const GrammarLine& line, RuleShape& shape) {
  std::string language = line.fields[0];
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
  for (size_t i = 1; i < line.fields.size(); ++i) read_item(line.fields[i], line, shape, result);
  shape.rule.sides[which].push_back(std::move(result));
}

// "TEXT", or NAME[CHILD-OR-VALUE...] of a child or a table
void RuleReader::read_item(const std::string& field, const GrammarLine& line,
                           const RuleShape& shape, Template& out) {
  if (field.front() == '"') {
    if (field.size() < 3 || field.back() != '"') line.fail("{} is no text in quotes", field);
    const auto text = std::string_view(field).substr(1, field.size() - 2);
    for (const std::string& word : split_spaces(text)) {
      if (word == "-") line.fail("'-' stands for nothing: it cannot be a text");
      out.items.push_back({Item::Kind::literal, words_.token(word), {}, {}});
    }
    return;
  }
  Item item;
  const size_t open = field.find('[');
  const std::string name = field.substr(0, open);
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
    for (const std::string& given : bracketed(field.substr(open), line)) {
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
  if (block.head->fields.size() != 2) block.head->fail("write: rewrite LANGUAGE");
  auto& rewrites = grammar_.rewrites[side(block.head->fields[1], *block.head)];
  for (const GrammarLine& line : block.body) {
    if (line.fields.size() != 4 || line.fields[2] != "->") line.fail("write: LEFT RIGHT -> RESULT");
    rewrites[words_.token(line.fields[0])].push_back(read_rewrite(line));
  }
}

Rewrite RuleReader::read_rewrite(const GrammarLine& line) {
  Rewrite rewrite;
  const std::string& right = line.fields[1];
  if (right.size() > 2 && right.front() == '<' && right.back() == '>') {
    rewrite.letters = words_.letter_set(right.substr(1, right.size() - 2), line);
  } else {
    rewrite.right = words_.token(right);
  }
  rewrite.result = words_.token(line.fields[3]);
  if (rewrite.result == no_token || (rewrite.letters == 0 && rewrite.right == no_token)) {
    line.fail("'-' stands for nothing: it cannot be rewritten");
  }
  return rewrite;
}

// The index of a construction's label; adds a new label.
int32_t RuleReader::label(const std::string& name) {
  const auto found = std::ranges::find(grammar_.labels, name);
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
