// A tree grows from its root. A node passes features up when it is complete, and down when it is
// written.
#include "data/toy/derivation.h"

#include <algorithm>

#include "core/error.h"

namespace calque {
namespace {

// The most rewrites of one token; without a limit, rules that lead to one another would not end.
constexpr int most_rewrites = 8;

// Adds the tree of a category within a construction. Returns the index of its root.
int32_t grow(const Grammar& grammar, int32_t category, int32_t label, const Choose& choose,
             Derivation& tree) {
  const Category& from = grammar.categories[category];
  const auto at = static_cast<int32_t>(tree.nodes.size());
  tree.nodes.emplace_back();
  Node node;
  const size_t choice = choose(from);
  if (!from.words.empty()) {
    const int32_t word = from.words[choice];
    node.word = &grammar.words[word];
    node.features = node.word->features;
    tree.unseen = tree.unseen || grammar.unseen.contains(grammar.combination(label, word));
  } else {
    const Rule& rule = from.rules[choice];
    node.rule = &rule;
    for (size_t i = 0; i < rule.children.size(); ++i) {
      node.children[i] =
          grow(grammar, rule.children[i], rule.label != 0 ? rule.label : label, choose, tree);
      if (rule.heads >> i & 1) overlay(node.features, tree.nodes[node.children[i]].features);
    }
    overlay(node.features, rule.features);
  }
  tree.nodes[at] = node;
  return at;
}

// Makes the first letter a capital: a to z and, in UTF-8, those of Latin-1.
void capitalise(std::string& text) {
  if (text.empty()) return;
  const bool accented = text[0] == '\xC3' && text.size() > 1 && text[1] >= '\xA0' &&
                        text[1] <= '\xBE' && text[1] != '\xB7';
  char& letter = text[accented ? 1 : 0];
  if (accented || (letter >= 'a' && letter <= 'z')) letter = static_cast<char>(letter - 0x20);
}

}  // namespace

void derive(const Grammar& grammar, int32_t category, const Choose& choose, Derivation& out) {
  out.nodes.clear();
  out.category = category;
  out.unseen = false;
  grow(grammar, category, 0, choose, out);
}

void derive(const Grammar& grammar, int32_t category, Random& random, Derivation& out) {
  const auto choose = [&](const Category& from) -> size_t {
    if (from.bounds.size() == 1) return 0;
    const auto drawn = static_cast<int64_t>(random.below(from.bounds.back()));
    return std::ranges::upper_bound(from.bounds, drawn) - from.bounds.begin();
  };
  derive(grammar, category, choose, out);
}

std::string Writer::operator()(const Derivation& derivation, int side, const Features& context) {
  derivation_ = &derivation;
  side_ = static_cast<size_t>(side);
  tokens_.clear();
  write(derivation.nodes.front(), context);
  rewrite();
  std::string text = join();
  if (derivation.category == grammar_.start) capitalise(text);
  return text;
}

void Writer::write(const Node& node, Features context) {
  overlay(context, node.features);
  if (node.word != nullptr) return write_forms(node.word->forms[side_], context, node.word->line);
  const auto fits = [&](const Template& line) {
    for (size_t i = 0; i < context.size(); ++i) {
      if (line.guard[i] != 0 && (line.guard[i] >> context[i] & 1) == 0) return false;
    }
    return true;
  };
  const auto& lines = node.rule->sides[side_];
  const auto line = std::ranges::find_if(lines, fits);
  if (line == lines.end()) return;
  const auto child = [&](int32_t i) -> const Node& { return derivation_->nodes[node.children[i]]; };
  for (const Item& item : line->items) {
    Features below = context;
    for (const int32_t other : item.agrees) overlay(below, child(other).features);
    overlay(below, item.set);
    switch (item.kind) {
      case Item::Kind::literal:
        tokens_.push_back(item.index);
        break;
      case Item::Kind::child:
        write(child(item.index), below);
        break;
      case Item::Kind::table:
        write_forms(grammar_.tables[item.index], below, node.rule->line);
    }
  }
}

void Writer::write_forms(const Forms& forms, const Features& context, int line) {
  int32_t index = 0;
  for (const Forms::Axis axis : forms.axes) {
    if (context[axis.feature] == 0) {
      fail("{}:{}: the form depends on the feature '{}', which has no value here", grammar_.file,
           line, grammar_.features[axis.feature].name);
    }
    index += (context[axis.feature] - 1) * axis.stride;
  }
  const int32_t token = forms.tokens[index];
  if (token != no_token) tokens_.push_back(token);
}

// Rewrites from right to left, so that an article is combined with its noun before its preposition:
// "de" "le" "hôtel" becomes "de" "l'" "hôtel", while "de" "le" "train" becomes "du" "train".
void Writer::rewrite() {
  const auto& by_left = grammar_.rewrites[side_];
  if (by_left.empty()) return;
  const auto step = [&](size_t i) {
    const auto found = by_left.find(tokens_[i]);
    if (found == by_left.end()) return false;
    const int32_t next = tokens_[i + 1];
    for (const Rewrite& rewrite : found->second) {
      const bool whole = rewrite.right == next;
      if (!whole && (grammar_.tokens[next].letters & rewrite.letters) == 0) continue;
      tokens_[i] = rewrite.result;
      if (whole) tokens_.erase(tokens_.begin() + i + 1);
      return true;
    }
    return false;
  };
  for (size_t i = tokens_.size(); i-- > 0;) {
    for (int times = 0; times < most_rewrites && i + 1 < tokens_.size() && step(i); ++times) {
    }
  }
}

std::string Writer::join() const {
  std::string text;
  bool joined = true;
  for (const int32_t index : tokens_) {
    const Token& token = grammar_.tokens[index];
    if (!joined && !token.joins_left) text += ' ';
    text += token.text;
    joined = token.joins_right;
  }
  return text;
}

}  // namespace calque
