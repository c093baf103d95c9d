#pragma once
// A grammar as a nondeterministic automaton over bytes. Each rule is a network of its own with one
// start and one end. An edge reads a byte or nothing, or calls a rule and comes back to a state
// when that rule ends. The height of a state is the number of calls that are open at once on the
// cheapest way from it to the end of its rule. A state without such a way is dead; it has no edges,
// and none lead to it.

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "decode/constraints/pattern.h"
#include "decode/constraints/utf8_ranges.h"

namespace calque {

class ByteNetwork {
 public:
  // The most states of a network, and the most calls that a text may have open at once.
  static constexpr int32_t most_states = 1 << 16, deepest = 64;
  static constexpr int32_t dead = std::numeric_limits<int32_t>::max();

  struct Edge {
    ByteRange bytes;
    int32_t to;
  };
  struct Call {
    int32_t start, back;  // the start of the rule, and where its end leads
    bool last;            // whether the caller ends there too, so that nothing has to be kept
  };
  struct State {
    std::vector<Edge> edges;
    std::vector<int32_t> skips;  // edges that read nothing
    std::vector<Call> calls;
    bool ends = false;  // whether it is the end of a rule
    int32_t height = dead;
  };

  // A network of the texts that hold no characters but those `spelled`. Throws an Error if it needs
  // too many states.
  ByteNetwork(const Grammar& grammar, const CodePointSet& spelled);

  const std::vector<State>& states() const { return states_; }
  int32_t start() const { return rules_.front().start; }
  int32_t end() const { return rules_.front().end; }
  // The end of the grammar's first rule, which a closing text may follow.
  int32_t end_of_text() const { return end_of_text_; }
  // The states from here on belong to closing texts.
  int32_t closings() const { return closings_; }

 private:
  struct Rule {
    int32_t start, end;
  };
  int32_t add_state();
  void skip(int32_t from, int32_t to) { states_[static_cast<size_t>(from)].skips.push_back(to); }
  int32_t joined(const Pattern& part, int32_t from, int32_t to);
  void join(const Pattern& pattern, int32_t from, int32_t to);
  void join_characters(const CodePointSet& characters, int32_t from, int32_t to);
  void join_repeat(const Pattern& pattern, int32_t from, int32_t to);
  void join_list(const Pattern& pattern, int32_t from, int32_t to);
  void add_closings(const std::vector<std::string>& closings, int32_t to);
  void measure_heights();
  bool lower_height(State& state, int32_t level) const;
  void remove_dead_edges();

  const CodePointSet spelled_;
  std::vector<State> states_;
  std::vector<Rule> rules_;
  int32_t current_ = 0;  // the rule whose network is being made
  int32_t end_of_text_ = 0, closings_ = 0;
};

}  // namespace calque
