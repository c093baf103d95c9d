// The second half of reading a grammar: rules and their templates, and what is left once all of the
// file is known. Rules may have parameters (NP<X>); each category that the start symbol leads to is
// made from the rules whose heads fit it.
#include <algorithm>
#include <deque>
#include <map>

#include "data/toy/grammar.h"
#include "data/toy/grammar_lines.h"
#include "data/toy/grammar_words.h"

namespace calque {
namespace {

// A category as written, "NP<X>": a name, and arguments of which a single capital is a variable.
struct Pattern {
  std::string name;
  std::vector<std::string> arguments;
};

bool is_variable(std::string_view text) {
  return text.size() == 1 && text[0] >= 'A' && text[0] <= 'Z';
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

Pattern read_pattern(const std::string& text, const GrammarLine& line) {
  Pattern pattern;
  const size_t open = text.find('<');
  pattern.name = text.substr(0, open);
  const bool named = !pattern.name.empty() &&
                     std::all_of(pattern.name.begin(), pattern.name.end(), is_name_character);
  if (!named || (open != std::string::npos && text.back() != '>')) {
    line.fail("'{}' is no category: write Name or Name<Argument>", text);
  }
  if (open != std::string::npos) {
    pattern.arguments =
        split_arguments(std::string_view(text).substr(open + 1, text.size() - open - 2));
  }
  return pattern;
}

using Bindings = std::map<std::string, std::string, std::less<>>;

// Replaces the variables in a category as written.
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

// A rule before its variables are known.
struct RuleShape {
  Pattern head;
  std::vector<std::string> children;  // categories
  std::vector<std::string> names;     // what the templates call them
  Rule rule;
  const GrammarLine* line = nullptr;
  bool used = false;
};

class Parser {
 public:
  Parser(std::string_view text, std::string file) : words_(grammar_) {
    grammar_.file = std::move(file);
    grammar_.labels.emplace_back();
    lines_ = grammar_lines(text, grammar_.file);
  }

  Grammar parse() {
    for (size_t at = 0; at < lines_.size();) {
      if (lines_[at].indented) lines_[at].fail("an indented line without a statement above it");
      size_t end = at + 1;
      while (end < lines_.size() && lines_[end].indented) ++end;
      read({&lines_[at], std::span(lines_).subspan(at + 1, end - at - 1)});
      at = end;
    }
    if (start_ == nullptr) fail("{}: no start category: write start NAME", grammar_.file);
    grammar_.start = category(start_->pieces[1], *start_);
    for (size_t i = 0; i < pending_.size(); ++i) build(i);
    check_use();
    count_all();
    hold_out();
    words_.mark_letters();
    return std::move(grammar_);
  }

 private:
  void read(const GrammarBlock& block) {
    const GrammarLine& line = *block.head;
    const std::string& kind = line.pieces[0];
    if (kind == "feature") return words_.read_feature(block);
    if (kind == "letters") return words_.read_letters(block);
    if (kind == "table") return words_.read_table(block);
    if (kind == "words") return words_.read_words(block);
    if (kind == "rule") return read_rule(block);
    if (kind == "rewrite") return read_rewrites(block);
    if (kind == "unseen") return unseen_.push_back(&line);
    if (kind == "languages") {
      if (line.pieces.size() != 3) line.fail("write: languages SOURCE TARGET");
      grammar_.languages = {line.pieces[1], line.pieces[2]};
    } else if (kind == "start") {
      if (line.pieces.size() != 2) line.fail("write: start CATEGORY");
      start_ = &line;
    } else {
      line.fail(
          "'{}' is no statement; there are: feature, languages, letters, rewrite, rule, start, "
          "table, unseen, words",
          kind);
    }
  }

  // rule HEAD -> CHILD... [VALUE...] *WEIGHT @LABEL | ...
  void read_rule(const GrammarBlock& block) {
    const GrammarLine& line = *block.head;
    if (line.pieces.size() < 3 || line.pieces[2] != "->") line.fail("write: rule NAME -> CHILD...");
    for (auto& pieces : split_pieces({line.pieces.begin() + 3, line.pieces.end()}, "|")) {
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
      if (shape.children.size() > most_children) line.fail("more than {} children", most_children);
      for (const GrammarLine& row : block.body) read_template(row, shape);
      for (auto& side : shape.rule.sides) {
        if (side.empty()) side.push_back(in_order(shape));
      }
      shapes_.push_back(std::move(shape));
    }
  }

  // [NAME:]CATEGORY[^]
  void read_child(std::string piece, RuleShape& shape) const {
    const bool head = piece.back() == '^';
    if (head) {
      piece.pop_back();
      shape.rule.heads |= 1u << shape.children.size();
    }
    const size_t colon = piece.find(':');
    const std::string category = colon == std::string::npos ? piece : piece.substr(colon + 1);
    const Pattern pattern = read_pattern(category, *shape.line);
    shape.children.push_back(category);
    shape.names.push_back(colon == std::string::npos ? pattern.name : piece.substr(0, colon));
    if (std::count(shape.names.begin(), shape.names.end(), shape.names.back()) > 1) {
      shape.line->fail("two children are called '{0}': write other:{0} for one",
                       shape.names.back());
    }
  }

  // LANGUAGE[VALUE...] ITEM...
  void read_template(const GrammarLine& line, RuleShape& shape) {
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
    const auto side = std::find(grammar_.languages.begin(), grammar_.languages.end(), language);
    if (side == grammar_.languages.end() || language.empty()) {
      line.fail("'{}' is neither of the languages", language);
    }
    for (size_t i = 1; i < line.pieces.size(); ++i) read_item(line.pieces[i], line, shape, result);
    shape.rule.sides[static_cast<size_t>(side - grammar_.languages.begin())].push_back(
        std::move(result));
  }

  // "TEXT", or NAME[CHILD-OR-VALUE...] of a child or a table
  void read_item(const std::string& piece, const GrammarLine& line, const RuleShape& shape,
                 Template& out) {
    if (piece.front() == '"') {
      if (piece.size() < 3 || piece.back() != '"') line.fail("{} is no text in quotes", piece);
      for (const std::string& text :
           split_spaces(std::string_view(piece).substr(1, piece.size() - 2))) {
        out.items.push_back({Item::Kind::literal, words_.token(text), {}, {}});
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
        const int32_t other = child_index(shape, given);
        if (other >= 0) {
          item.agrees.push_back(other);
        } else {
          words_.set_value(given, item.set, line);
        }
      }
    }
    out.items.push_back(std::move(item));
  }

  static int32_t child_index(const RuleShape& shape, const std::string& name) {
    const auto found = std::find(shape.names.begin(), shape.names.end(), name);
    return found == shape.names.end() ? -1 : static_cast<int32_t>(found - shape.names.begin());
  }

  static Template in_order(const RuleShape& shape) {
    Template result;
    for (size_t i = 0; i < shape.children.size(); ++i) {
      result.items.push_back({Item::Kind::child, static_cast<int32_t>(i), {}, {}});
    }
    return result;
  }

  static std::vector<std::string> bracketed(std::string_view text, const GrammarLine& line) {
    if (text.size() < 3 || text.front() != '[' || text.back() != ']') {
      line.fail("'{}' should be [NAME...]", text);
    }
    return split_spaces(text.substr(1, text.size() - 2));
  }

  int32_t label(const std::string& name) {
    const auto found = std::find(grammar_.labels.begin(), grammar_.labels.end(), name);
    if (found != grammar_.labels.end()) {
      return static_cast<int32_t>(found - grammar_.labels.begin());
    }
    grammar_.labels.push_back(name);
    return static_cast<int32_t>(grammar_.labels.size() - 1);
  }

  // rewrite LANGUAGE / LEFT RIGHT -> RESULT, where RIGHT is a token or <letters>
  void read_rewrites(const GrammarBlock& block) {
    const GrammarLine& head = *block.head;
    if (head.pieces.size() != 2) head.fail("write: rewrite LANGUAGE");
    const auto side =
        std::find(grammar_.languages.begin(), grammar_.languages.end(), head.pieces[1]);
    if (side == grammar_.languages.end()) head.fail("no language '{}'", head.pieces[1]);
    auto& rewrites = grammar_.rewrites[static_cast<size_t>(side - grammar_.languages.begin())];
    for (const GrammarLine& line : block.body) {
      if (line.pieces.size() != 4 || line.pieces[2] != "->")
        line.fail("write: LEFT RIGHT -> RESULT");
      Rewrite rewrite;
      const std::string& right = line.pieces[1];
      if (right.size() > 2 && right.front() == '<' && right.back() == '>') {
        rewrite.letters = words_.letter_set(right.substr(1, right.size() - 2), line);
      } else {
        rewrite.right = words_.token(right);
      }
      rewrite.result = words_.token(line.pieces[3]);
      if (rewrite.result == no_token || (rewrite.letters == 0 && rewrite.right == no_token)) {
        line.fail("'-' cannot be rewritten");
      }
      rewrites[words_.token(line.pieces[0])].push_back(rewrite);
    }
  }

  // The number of a category; one not met before is built later.
  int32_t category(const std::string& name, const GrammarLine& line) {
    const auto [found, added] = categories_.emplace(name, static_cast<int32_t>(pending_.size()));
    if (added) {
      pending_.push_back(&line);
      grammar_.categories.push_back({name, {}, {}, {}, 0});
      if (pending_.size() > 10000) line.fail("'{}' leads to endlessly many categories", name);
    }
    return found->second;
  }

  void build(size_t index) {
    const GrammarLine& line = *pending_[index];
    const std::string name = grammar_.categories[index].name;
    Category built{name, {}, {}, {}, 0};
    if (const auto words = words_.classes().find(name); words != words_.classes().end()) {
      built.words = words->second.words;
    }
    const Pattern wanted = read_pattern(name, line);
    for (RuleShape& shape : shapes_) {
      Bindings bindings;
      if (!matches(shape.head, wanted, bindings)) continue;
      if (!built.words.empty()) shape.line->fail("'{}' has words: it can have no rules", name);
      shape.used = true;
      Rule rule = shape.rule;
      for (const std::string& child : shape.children) {
        rule.children.push_back(category(substitute(child, bindings), *shape.line));
      }
      built.rules.push_back(std::move(rule));
    }
    if (built.words.empty() && built.rules.empty()) line.fail("no words or rules for '{}'", name);
    int64_t sum = 0;
    for (const int32_t word : built.words) {
      built.bounds.push_back(sum += grammar_.words[static_cast<size_t>(word)].weight);
    }
    for (const Rule& rule : built.rules) built.bounds.push_back(sum += rule.weight);
    grammar_.categories[index] = std::move(built);
  }

  static bool matches(const Pattern& head, const Pattern& wanted, Bindings& bindings) {
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

  void check_use() const {
    for (const auto& [name, words] : words_.classes()) {
      if (!categories_.contains(name)) words.line->fail("no rule leads to the words '{}'", name);
    }
    for (const RuleShape& shape : shapes_) {
      if (!shape.used) shape.line->fail("no rule leads to '{}'", shape.head.name);
    }
  }

  void count_all() {
    std::vector<int> state(grammar_.categories.size(), 0);
    count(static_cast<size_t>(grammar_.start), state);
  }

  // state: 0 not counted yet, 1 being counted, 2 counted
  double count(size_t index, std::vector<int>& state) {
    Category& from = grammar_.categories[index];
    if (state[index] == 1) {
      pending_[index]->fail("'{}' contains itself: a grammar must be finite", from.name);
    }
    if (state[index] == 2) return from.count;
    state[index] = 1;
    double sum = static_cast<double>(from.words.size());
    for (const Rule& rule : from.rules) {
      double product = 1;
      for (const int32_t child : rule.children) product *= count(static_cast<size_t>(child), state);
      sum += product;
    }
    state[index] = 2;
    return from.count = sum;
  }

  // unseen LABEL : WORD...
  void hold_out() {
    for (const GrammarLine* line : unseen_) {
      const auto& pieces = line->pieces;
      if (pieces.size() < 4 || pieces[2] != ":") line->fail("write: unseen LABEL : WORD...");
      const auto found = std::find(grammar_.labels.begin(), grammar_.labels.end(), pieces[1]);
      if (found == grammar_.labels.end()) line->fail("no rule has the label '@{}'", pieces[1]);
      for (size_t i = 3; i < pieces.size(); ++i) {
        bool known = false;
        for (size_t w = 0; w < grammar_.words.size(); ++w) {
          if (grammar_.words[w].name != pieces[i]) continue;
          known = true;
          grammar_.unseen.insert((found - grammar_.labels.begin()) *
                                     static_cast<int64_t>(grammar_.words.size()) +
                                 static_cast<int64_t>(w));
        }
        if (!known) line->fail("no word '{}'", pieces[i]);
      }
    }
  }

  Grammar grammar_;
  WordReader words_;
  std::vector<GrammarLine> lines_;
  std::deque<RuleShape> shapes_;
  std::vector<const GrammarLine*> unseen_;
  const GrammarLine* start_ = nullptr;
  std::map<std::string, int32_t, std::less<>> categories_;
  std::vector<const GrammarLine*> pending_;  // by category: where it is first asked for
};

}  // namespace

int32_t Grammar::category(std::string_view name) const {
  for (size_t i = 0; i < categories.size(); ++i) {
    if (categories[i].name == name) return static_cast<int32_t>(i);
  }
  fail("{}: no category '{}'", file, name);
}

Grammar parse_grammar(std::string_view text, std::string file) {
  return Parser(text, std::move(file)).parse();
}

}  // namespace calque
