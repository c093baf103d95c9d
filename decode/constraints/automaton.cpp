#include "decode/constraints/automaton.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace calque {

Automaton::Automaton(ByteNetwork network) : network_(std::move(network)) {
  divide_bytes();
  start_ = hold(state_of({{network_.start(), nullptr}}));
}

size_t Automaton::Hash::operator()(const std::vector<Item>& items) const {
  uint64_t hash = 0;
  for (const Item& item : items) {
    hash ^= static_cast<uint64_t>(item.state) + reinterpret_cast<uintptr_t>(item.stack);
    hash = std::rotl(hash * 0x9E3779B97F4A7C15, 29);
  }
  return hash;
}

// Two neighbouring bytes are of one class if no edge begins or ends between them.
void Automaton::divide_bytes() {
  std::array<bool, 257> begins = {};
  for (const ByteNetwork::State& state : network_.states()) {
    for (const ByteNetwork::Edge& edge : state.edges) {
      begins[edge.bytes.first] = true;
      begins[static_cast<size_t>(edge.bytes.last) + 1] = true;
    }
  }
  uint8_t own = 0;
  for (size_t byte = 0; byte < 256; ++byte) {
    if (byte > 0 && begins[byte]) ++own;
    classes_[byte] = own;
  }
  class_count_ = static_cast<size_t>(own) + 1;
}

const Automaton::Stack* Automaton::push(const Stack* stack, int32_t back) {
  return &*stacks_.insert({back, stack, stack ? stack->depth + 1 : 1}).first;
}

const Automaton::State* Automaton::compute_step(const State& from, uint8_t byte) {
  std::vector<Item> reached;
  for (const Item& item : from.items) {
    for (const ByteNetwork::Edge& edge : network_.states()[static_cast<size_t>(item.state)].edges) {
      if (edge.bytes.first <= byte && byte <= edge.bytes.last) {
        reached.push_back({edge.to, item.stack});
      }
    }
  }
  return reached.empty() ? nullptr : state_of(std::move(reached));
}

const Automaton::State* Automaton::state_of(std::vector<Item> open) {
  State state;
  std::set<Item> seen;
  const auto visit = [&](int32_t number, const Stack* stack) {
    const int32_t room = ByteNetwork::deepest - (stack ? stack->depth : 0);
    const bool fits = network_.states()[static_cast<size_t>(number)].height <= room;
    if (fits && seen.insert({number, stack}).second) open.push_back({number, stack});
  };
  for (const Item& item : std::exchange(open, {})) visit(item.state, item.stack);
  while (!open.empty()) {
    const auto [number, stack] = open.back();
    open.pop_back();
    const ByteNetwork::State& own = network_.states()[static_cast<size_t>(number)];
    for (const int32_t to : own.skips) visit(to, stack);
    for (const ByteNetwork::Call& call : own.calls) {
      const int32_t room = ByteNetwork::deepest - (stack ? stack->depth : 0);
      if (network_.states()[static_cast<size_t>(call.back)].height > room) continue;
      visit(call.start, call.last ? stack : push(stack, call.back));
    }
    if (own.ends && stack) visit(stack->back, stack->parent);
    if (own.ends && !stack) state.accepting = true;
    if (!own.edges.empty()) state.items.push_back({number, stack});
  }
  std::ranges::sort(state.items);
  // The items alone do not tell whether the end was reached.
  std::vector<Item> key = state.items;
  if (state.accepting) key.push_back({network_.end(), nullptr});
  const auto [found, added] = states_.try_emplace(std::move(key));
  if (added) {
    state.complete = state.accepting && std::ranges::all_of(state.items, [&](const Item& item) {
                       return item.state >= network_.closings();
                     });
    state.next.assign(class_count_, &unknown_);
    size_ += std::ssize(state.items) + static_cast<int64_t>(class_count_);
    found->second = std::make_shared<State>(std::move(state));
    found->second->self = found->second;
  }
  return found->second.get();
}

bool Automaton::accepts(std::string_view text) {
  const State* state = start_.get();
  for (const char byte : text) {
    state = step(state, static_cast<uint8_t>(byte));
    if (!state) return false;
  }
  return state->accepting;
}

void Automaton::forget_masks() {
  for (const auto& [key, state] : states_) state->masks = {};
}

void Automaton::forget() {
  std::erase_if(states_, [](const auto& entry) { return entry.second.use_count() == 1; });
  std::set<const Stack*> used;
  size_ = 0;
  for (const auto& [key, state] : states_) {
    state->next.assign(class_count_, &unknown_);
    state->masks = {};
    size_ += std::ssize(state->items) + static_cast<int64_t>(class_count_);
    for (const Item& item : state->items) {
      for (const Stack* stack = item.stack; stack; stack = stack->parent) used.insert(stack);
    }
  }
  std::erase_if(stacks_, [&](const Stack& stack) { return !used.contains(&stack); });
}

}  // namespace calque
