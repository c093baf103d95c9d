// Reads the statements of a grammar, then builds the categories that the start category leads to,
// each from its words or from the rules whose heads fit it.
#include <algorithm>
#include <map>

#include "data/toy/grammar_rules.h"

namespace calque {
namespace {

constexpr size_t most_categories = 10'000;
constexpr size_t longest_name = 1000;

class Parser {
 public:
  Parser(std::string_view text, std::string file) : words_(grammar_), rules_(grammar_, words_) {
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
    grammar_.start = category(start_->fields[1], *start_);
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
    const std::string& kind = line.fields[0];
    if (kind == "feature") return words_.read_feature(block);
    if (kind == "letters") return words_.read_letters(block);
    if (kind == "table") return words_.read_table(block);
    if (kind == "words") return words_.read_words(block);
    if (kind == "rule") return rules_.read_rule(block);
    if (kind == "rewrite") return rules_.read_rewrites(block);
    if (kind == "unseen") return unseen_.push_back(&line);
    if (kind == "languages") {
      if (line.fields.size() != 3) line.fail("write: languages SOURCE TARGET");
      grammar_.languages = {line.fields[1], line.fields[2]};
    } else if (kind == "start") {
      if (line.fields.size() != 2) line.fail("write: start CATEGORY");
      start_ = &line;
    } else {
      line.fail(
          "'{}' is not a statement; the statements are: feature, languages, letters, rewrite, "
          "rule, start, table, unseen, words",
          kind);
    }
  }

  // The index of a category; build() completes a new one.
  int32_t category(const std::string& name, const GrammarLine& line) {
    const auto [found, added] = categories_.emplace(name, static_cast<int32_t>(pending_.size()));
    if (added) {
      pending_.push_back(&line);
      grammar_.categories.push_back({name, {}, {}, {}, 0});
      if (pending_.size() > most_categories || name.size() > longest_name) {
        line.fail("this leads to infinitely many categories, such as '{:.40}'", name);
      }
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
    for (RuleShape& shape : rules_.shapes()) {
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
      built.bounds.push_back(sum += grammar_.words[word].weight);
    }
    for (const Rule& rule : built.rules) built.bounds.push_back(sum += rule.weight);
    grammar_.categories[index] = std::move(built);
  }

  void check_use() {
    for (const auto& [name, words] : words_.classes()) {
      if (!categories_.contains(name)) words.line->fail("no rule leads to the words '{}'", name);
    }
    for (const RuleShape& shape : rules_.shapes()) {
      if (!shape.used) shape.line->fail("no rule leads to '{}'", shape.head.name);
    }
  }

  void count_all() {
    std::vector<int> state(grammar_.categories.size(), 0);
    count(grammar_.start, state);
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
      for (const int32_t child : rule.children) product *= count(child, state);
      sum += product;
    }
    state[index] = 2;
    return from.count = sum;
  }

  // unseen LABEL : WORD...
  void hold_out() {
    for (const GrammarLine* line : unseen_) {
      const auto& fields = line->fields;
      if (fields.size() < 4 || fields[2] != ":") line->fail("write: unseen LABEL : WORD...");
      const auto found = std::ranges::find(grammar_.labels, fields[1]);
      if (found == grammar_.labels.end()) line->fail("no rule has the label '@{}'", fields[1]);
      const auto label = static_cast<int32_t>(found - grammar_.labels.begin());
      for (size_t i = 3; i < fields.size(); ++i) hold_out(label, fields[i], *line);
    }
  }

  // Several words may have the same name, such as the two verbs "know".
  void hold_out(int32_t label, const std::string& name, const GrammarLine& line) {
    bool known = false;
    for (size_t word = 0; word < grammar_.words.size(); ++word) {
      if (grammar_.words[word].name != name) continue;
      known = true;
      grammar_.unseen.insert(grammar_.combination(label, static_cast<int32_t>(word)));
    }
    if (!known) line.fail("no word '{}'", name);
  }

  Grammar grammar_;
  WordReader words_;
  RuleReader rules_;
  std::vector<GrammarLine> lines_;
  std::vector<const GrammarLine*> unseen_;
  const GrammarLine* start_ = nullptr;
  std::map<std::string, int32_t, std::less<>> categories_;
  std::vector<const GrammarLine*> pending_;  // by category: the line that first names it
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
