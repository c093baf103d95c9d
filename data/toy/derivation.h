#pragma once
// A tree of a grammar: drawn at random, or the n-th of all; and its text on either side.

#include <cstdint>
#include <string>
#include <vector>

#include "core/random.h"
#include "data/toy/grammar.h"

namespace calque {

struct Node {
  const Rule* rule = nullptr;  // or else
  const Word* word = nullptr;
  Features features{};
  std::array<int32_t, most_children> children{};
};

struct Derivation {
  int32_t category = 0;
  std::vector<Node> nodes;  // the root is first
  bool unseen = false;      // holds a word in a construction that training must not show it in
};

// Draws a tree of a category, by the weights.
void derive(const Grammar& grammar, int32_t category, Random& random, Derivation& out);

// Tree number `index` of the `count` that a category has; for categories small enough to count.
Derivation nth_derivation(const Grammar& grammar, int32_t category, uint64_t index);

// Writes the text of a tree on side 0 (source) or 1 (target); that of the start category, which is
// a sentence, begins with a capital. An Error names the line where a feature that a form depends on
// has no value. `context` holds the features that a tree of another category gets from outside.
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
