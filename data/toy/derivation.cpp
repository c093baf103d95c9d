// Trees are drawn from the top; features rise as a node is completed, and fall as it is written.
#include "data/toy/derivation.h"

#include <algorithm>

#include "core/error.h"

namespace calque {
namespace {

// Grows a tree; choose(category) says which alternative to take at each place.
template <class Choose>
class Growth {
 public:
  Growth(const Grammar& grammar, Derivation& tree, Choose& choose)
      : grammar_(grammar), tree_(tree), choose_(choose) {}

  int32_t grow(int32_t category, int32_t label) {
    const Category& from = grammar_.categories[static_cast<size_t>(category)];
    const auto at = tree_.nodes.size();
    tree_.nodes.emplace_back();
    const size_t choice = choose_(from);
    if (!from.words.empty()) {
      const int32_t word = from.words[choice];
      tree_.nodes[at].word = &grammar_.words[static_cast<size_t>(word)];
      tree_.nodes[at].features = tree_.nodes[at].word->features;
      tree_.unseen = tree_.unseen || grammar_.unseen.contains(grammar_.combination(label, word));
      return static_cast<int32_t>(at);
    }
    const Rule& rule = from.rules[choice];
    Features features{};
    std::array<int32_t, most_children> children{};
    for (size_t i = 0; i < rule.children.size(); ++i) {
      children[i] = grow(rule.children[i], rule.label != 0 ? rule.label : label);
      if (rule.heads >> i & 1) {
        overlay(features, tree_.nodes[static_cast<size_t>(children[i])].features);
      }
    }
    overlay(features, rule.features);
    tree_.nodes[at].rule = &rule;
    tree_.nodes[at].features = features;
    tree_.nodes[at].children = children;
    return static_cast<int32_t>(at);
  }

 private:
  const Grammar& grammar_;
  Derivation& tree_;
  Choose& choose_;
};

template <class Choose>
void grow(const Grammar& grammar, int32_t category, Derivation& out, Choose choose) {
  out.nodes.clear();
  out.category = category;
  out.unseen = false;
  Growth<Choose>(grammar, out, choose).grow(category, 0);
}

// How often one token is rewritten at most: rules that lead to one another would go on for ever.
constexpr int most_rewrites = 8;

// The number of ways below one alternative.
double ways(const Grammar& grammar, const Category& category, size_t choice) {
  if (!category.words.empty()) return 1;
  double product = 1;
  for (const int32_t child : category.rules[choice].children) {
    product *= grammar.categories[static_cast<size_t>(child)].count;
  }
  return product;
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

void derive(const Grammar& grammar, int32_t category, Random& random, Derivation& out) {
  grow(grammar, category, out, [&](const Category& from) {
    if (from.bounds.size() == 1) return size_t{0};
    const auto drawn =
        static_cast<int64_t>(random.below(static_cast<uint64_t>(from.bounds.back())));
    return static_cast<size_t>(std::upper_bound(from.bounds.begin(), from.bounds.end(), drawn) -
                               from.bounds.begin());
  });
}

Derivation nth_derivation(const Grammar& grammar, int32_t category, uint64_t index) {
  const double count = grammar.categories[static_cast<size_t>(category)].count;
  require(count < 0x1p53 && static_cast<double>(index) < count,
          "nth_derivation: {} of {:.0f} derivations", index, count);
  // At each place the index is split into the alternative and the index below it. What remains for
  // the siblings to the right is carried along, as the digits of a number in mixed radix.
  Derivation out;
  grow(grammar, category, out, [&](const Category& from) {
    const auto here = static_cast<uint64_t>(from.count);
    uint64_t below = index % here;
    const uint64_t rest = index / here;
    const size_t last = from.bounds.size() - 1;
    size_t choice = 0;
    for (; choice < last; ++choice) {
      const auto size = static_cast<uint64_t>(ways(grammar, from, choice));
      if (below < size) break;
      below -= size;
    }
    index = below + rest * static_cast<uint64_t>(ways(grammar, from, choice));
    return choice;
  });
  return out;
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
  const auto line = std::find_if(lines.begin(), lines.end(), fits);
  if (line == lines.end()) return;
  const auto child = [&](int32_t i) -> const Node& {
    return derivation_->nodes[static_cast<size_t>(node.children[static_cast<size_t>(i)])];
  };
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
        write_forms(grammar_.tables[static_cast<size_t>(item.index)], below, node.rule->line);
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
  const int32_t token = forms.tokens[static_cast<size_t>(index)];
  if (token != no_token) tokens_.push_back(token);
}

// From right to left, so that "de" meets the article only once that has seen its noun: "de" "le"
// "hôtel" becomes "de" "l'" "hôtel" and stays so, while "de" "le" "train" becomes "du" "train".
void Writer::rewrite() {
  const auto& by_left = grammar_.rewrites[side_];
  if (by_left.empty()) return;
  const auto step = [&](size_t i) {
    const auto found = by_left.find(tokens_[i]);
    if (found == by_left.end()) return false;
    const int32_t next = tokens_[i + 1];
    for (const Rewrite& rewrite : found->second) {
      const bool whole = rewrite.right == next;
      if (!whole && (grammar_.tokens[static_cast<size_t>(next)].letters & rewrite.letters) == 0) {
        continue;
      }
      tokens_[i] = rewrite.result;
      if (whole) tokens_.erase(tokens_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
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
    const Token& token = grammar_.tokens[static_cast<size_t>(index)];
    if (!joined && !token.joins_left) text += ' ';
    text += token.text;
    joined = token.joins_right;
  }
  return text;
}

}  // namespace calque
