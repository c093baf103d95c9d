#pragma once
// A tree of a grammar, and its text on each side.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/random.h"
#include "data/toy/grammar.h"

namespace calque {

struct Node {
  const Rule* rule = nullptr;  // exactly one of these two is set
  const Word* word = nullptr;
  Features features{};
  std::array<int32_t, most_children> children{};
};

struct Derivation {
  int32_t category = 0;
  std::vector<Node> nodes;  // the root is first
  bool unseen = false;      // has a word in a construction that is held out of training
};

// Returns the index of the alternative to take.
using Choose = std::function<size_t(const Category&)>;

// Grows a tree of a category. `choose` selects the alternatives; with `random`, they are drawn by
// their weights.
void derive(const Grammar& grammar, int32_t category, const Choose& choose, Derivation& out);
void derive(const Grammar& grammar, int32_t category, Random& random, Derivation& out);

// Writes the text of a tree on side 0 (source) or 1 (target). A tree of the start category is a
// sentence and begins with a capital. For other categories, `context` has the features of the root.
// Throws an Error if a feature that a form depends on has no value.
class Writer {
 public:
  explicit Writer(const Grammar& grammar) : grammar_(grammar) {}
  std::string operator()(const Derivation& derivation, int side, const Features& context = {});

 private:
  void write(const Node& node, Features context);
  void write_forms(const Forms& forms, const Features& context, int line);
  void rewrite();
  std::string join() const;

  const Grammar& grammar_;
  const Derivation* derivation_ = nullptr;
  size_t side_ = 0;
  std::vector<int32_t> tokens_;
};

}  // namespace calque
