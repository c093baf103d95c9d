#pragma once
// A deterministic automaton over bytes that grows while it is used. Its states are sets of states
// of a ByteNetwork, each with the stack of the calls that are open there. A transition is computed
// when a byte is read for the first time. Every state leads to an accepting one: ways on which a
// rule cannot end within ByteNetwork::deepest open calls are not taken.

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "decode/constraints/byte_network.h"

namespace calque {

// The tokens that may follow, one bit for each.
using TokenMask = std::vector<uint64_t>;

class Automaton {
 public:
  explicit Automaton(ByteNetwork network);

  struct Stack {
    int32_t back;         // where the network continues after the call
    const Stack* parent;  // the calls around it
    int32_t depth;
    auto operator<=>(const Stack&) const = default;
  };
  struct Item {
    int32_t state;
    const Stack* stack;  // null: no call is open
    auto operator<=>(const Item&) const = default;
  };
  struct State {
    std::vector<Item> items;                 // those that read bytes, sorted
    bool accepting = false;                  // the bytes so far are a text
    bool complete = false;                   // and no longer text begins with them
    mutable std::vector<const State*> next;  // by class of bytes; see step()
    std::weak_ptr<const State> self = {};
    // For the user of the automaton: the masks of this state, elsewhere and at a line's beginning.
    mutable std::array<std::shared_ptr<const TokenMask>, 2> masks = {};
  };
  using Held = std::shared_ptr<const State>;

  // Requires a network of which some text is in the language.
  const Held& start() const { return start_; }
  // The state after one more byte; null if no text begins so. It lives until forget() unless held.
  const State* step(const State* from, uint8_t byte) {
    const State*& to = from->next[classes_[byte]];
    if (to == &unknown_) to = compute_step(*from, byte);
    return to;
  }
  // Whether the bytes are a text.
  bool accepts(std::string_view text);

  // Keeps a state that step() has returned.
  static Held hold(const State* state) { return state->self.lock(); }

  // The number of items of all states, a measure of memory; and the removal of all states and masks
  // that nobody holds.
  int64_t size() const { return size_; }
  void forget();
  void forget_masks();

 private:
  struct Hash {
    size_t operator()(const std::vector<Item>& items) const;
  };
  void divide_bytes();
  const State* compute_step(const State& from, uint8_t byte);
  const Stack* push(const Stack* stack, int32_t back);
  // The state of the items and all that they reach without reading a byte.
  const State* state_of(std::vector<Item> items);

  const ByteNetwork network_;
  const State unknown_ = {};          // marks a transition that is not computed yet
  std::array<uint8_t, 256> classes_;  // bytes of a class lead to the same states everywhere
  size_t class_count_ = 0;
  std::set<Stack> stacks_;
  std::unordered_map<std::vector<Item>, std::shared_ptr<State>, Hash> states_;
  int64_t size_ = 0;
  Held start_;
};

}  // namespace calque
