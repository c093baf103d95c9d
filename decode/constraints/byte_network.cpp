#include "decode/constraints/byte_network.h"

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "decode/constraints/character_set.h"

namespace calque {

ByteNetwork::ByteNetwork(const Grammar& grammar, const CodePointSet& spelled) : spelled_(spelled) {
  for (size_t i = 0; i < grammar.rules.size(); ++i) {
    const int32_t start = add_state();
    rules_.push_back({start, add_state()});
    states_[static_cast<size_t>(rules_.back().end)].ends = true;
  }
  end_of_text_ = grammar.closings.empty() ? end() : add_state();
  for (size_t i = 0; i < grammar.rules.size(); ++i) {
    current_ = static_cast<int32_t>(i);
    join(grammar.rules[i], rules_[i].start, i == 0 ? end_of_text_ : rules_[i].end);
  }
  closings_ = static_cast<int32_t>(states_.size());
  add_closings(grammar.closings, end());
  measure_heights();
  remove_dead_edges();
}

void ByteNetwork::add_closings(const std::vector<std::string>& closings, int32_t to) {
  if (closings.empty()) return;
  current_ = 0;
  skip(end_of_text_, to);
  for (const std::string& closing : closings) {
    const int32_t begin = add_state();  // so that the edges of the closing are its own
    skip(end_of_text_, begin);
    join(Pattern::text(closing), begin, to);
  }
}

int32_t ByteNetwork::add_state() {
  if (std::ssize(states_) == most_states) {
    fail("needs more than {} states; use smaller counts or fewer parts", most_states);
  }
  states_.emplace_back();
  return static_cast<int32_t>(states_.size()) - 1;
}

// Adds the part between `from` and a new state, or `to` unless that is -1. Returns that state.
int32_t ByteNetwork::joined(const Pattern& part, int32_t from, int32_t to) {
  if (to < 0) to = add_state();
  join(part, from, to);
  return to;
}

// Adds a way from one state to another for each text of the pattern.
void ByteNetwork::join(const Pattern& pattern, int32_t from, int32_t to) {
  switch (pattern.kind) {
    case Pattern::Kind::characters:
      return join_characters(pattern.characters, from, to);
    case Pattern::Kind::sequence: {
      for (size_t i = 0; i + 1 < pattern.parts.size(); ++i)
        from = joined(pattern.parts[i], from, -1);
      return pattern.parts.empty() ? skip(from, to) : join(pattern.parts.back(), from, to);
    }
    case Pattern::Kind::choice:
      for (const Pattern& part : pattern.parts) join(part, from, to);
      return;
    case Pattern::Kind::repeat:
      return join_repeat(pattern, from, to);
    case Pattern::Kind::list:
      return join_list(pattern, from, to);
    case Pattern::Kind::rule: {
      const Rule& rule = rules_[static_cast<size_t>(pattern.rule)];
      const bool last = to == rules_[static_cast<size_t>(current_)].end;
      states_[static_cast<size_t>(from)].calls.push_back({rule.start, to, last});
      return;
    }
  }
}

void ByteNetwork::join_characters(const CodePointSet& characters, int32_t from, int32_t to) {
  std::map<ByteRanges, int32_t> rests;  // the states from which these bytes lead to `to`
  const auto state_before = [&](const ByteRanges& rest) {
    if (rest.empty()) return to;
    const auto [found, added] = rests.try_emplace(rest, 0);
    if (added) found->second = add_state();
    return found->second;
  };
  std::vector<ByteRanges> all;
  for (const CodePoints& range : common_to(characters, spelled_)) {
    for (ByteRanges& ranges : utf8_ranges(range)) all.push_back(std::move(ranges));
  }
  for (const ByteRanges& ranges : all) {
    const int32_t next = state_before({ranges.begin() + 1, ranges.end()});
    states_[static_cast<size_t>(from)].edges.push_back({ranges.front(), next});
  }
  // Each rest needs the ones behind it, which may be new.
  for (bool more = true; more;) {
    more = false;
    for (const auto& [rest, state] : std::map(rests)) {
      if (!states_[static_cast<size_t>(state)].edges.empty()) continue;
      const int32_t next = state_before({rest.begin() + 1, rest.end()});
      states_[static_cast<size_t>(state)].edges.push_back({rest.front(), next});
      more = true;
    }
  }
}

void ByteNetwork::join_repeat(const Pattern& pattern, int32_t from, int32_t to) {
  const Pattern& part = pattern.parts.front();
  for (int64_t i = 0; i < pattern.least; ++i) from = joined(part, from, -1);
  if (pattern.most == Pattern::unlimited) {
    const int32_t hub = add_state();
    skip(from, hub);
    join(part, hub, hub);
    return skip(hub, to);
  }
  for (int64_t i = pattern.least; i < pattern.most; ++i) {
    const int32_t own = add_state();  // ways that enter `from` again must not take the part twice
    skip(from, to);
    skip(from, own);
    from = joined(part, own, -1);
  }
  skip(from, to);
}

// Keeps two states apart: no element is written yet, or some are and the next needs a separator.
void ByteNetwork::join_list(const Pattern& pattern, int32_t from, int32_t to) {
  int32_t none = from, some = -1;  // -1: not possible
  const auto element = [&](const Pattern& part, int32_t end) {
    const int32_t begin = add_state();
    if (none >= 0) skip(none, begin);
    if (some >= 0) join(pattern.parts.front(), some, begin);
    return joined(part, begin, end);
  };
  for (size_t i = 1; i < pattern.parts.size(); ++i) {
    const bool repeats = pattern.parts[i].kind == Pattern::Kind::repeat;
    const Pattern& part = repeats ? pattern.parts[i].parts.front() : pattern.parts[i];
    const int64_t least = repeats ? pattern.parts[i].least : 1;
    const int64_t most = repeats ? pattern.parts[i].most : 1;
    for (int64_t k = 0; k < least; ++k) {
      some = element(part, -1);
      none = -1;
    }
    if (most == least) continue;
    const int32_t after = add_state();  // the list after this element
    if (most == Pattern::unlimited) {
      const int32_t loop = add_state();
      if (some >= 0) skip(some, loop);
      some = loop;
      element(part, loop);
      skip(loop, after);
    } else {
      const int32_t none_before = none;
      for (int64_t k = least; k < most; ++k) {
        if (some >= 0) skip(some, after);
        some = element(part, -1);
        none = -1;
      }
      skip(some, after);
      none = none_before;
    }
    some = after;
  }
  if (none >= 0) skip(none, to);
  if (some >= 0) skip(some, to);
}

// Sets the height to `level` if the states that it leads to allow that.
bool ByteNetwork::lower_height(State& state, int32_t level) const {
  const auto within = [&](int32_t to, int32_t limit) {
    return states_[static_cast<size_t>(to)].height <= limit;
  };
  const bool reaches =
      state.ends ||
      std::ranges::any_of(state.edges, [&](const Edge& edge) { return within(edge.to, level); }) ||
      std::ranges::any_of(state.skips, [&](int32_t to) { return within(to, level); }) ||
      std::ranges::any_of(state.calls, [&](const Call& call) {
        return within(call.start, call.last ? level : level - 1) && within(call.back, level);
      });
  if (reaches) state.height = level;
  return reaches;
}

// Level by level: first the states that need no call, then those that need one, and so on.
void ByteNetwork::measure_heights() {
  std::vector<std::vector<int32_t>> before(states_.size());
  for (int32_t from = 0; from < std::ssize(states_); ++from) {
    const State& state = states_[static_cast<size_t>(from)];
    const auto note = [&](int32_t to) { before[static_cast<size_t>(to)].push_back(from); };
    for (const Edge& edge : state.edges) note(edge.to);
    for (const int32_t to : state.skips) note(to);
    for (const Call& call : state.calls) note(call.start), note(call.back);
  }
  std::vector<int32_t> lowered;
  const auto lower = [&](int32_t number, int32_t level) {
    State& state = states_[static_cast<size_t>(number)];
    if (state.height == dead && lower_height(state, level)) lowered.push_back(number);
  };
  bool any = true;
  for (int32_t level = 0; level <= deepest && any; ++level) {
    for (int32_t number = 0; number < std::ssize(states_); ++number) lower(number, level);
    any = !lowered.empty();
    while (!lowered.empty()) {
      const int32_t to = lowered.back();
      lowered.pop_back();
      for (const int32_t from : before[static_cast<size_t>(to)]) lower(from, level);
    }
  }
}

void ByteNetwork::remove_dead_edges() {
  const auto is_dead = [&](int32_t to) { return states_[static_cast<size_t>(to)].height == dead; };
  for (State& state : states_) {
    std::erase_if(state.edges, [&](const Edge& edge) { return is_dead(edge.to); });
    std::erase_if(state.skips, is_dead);
    std::erase_if(state.calls,
                  [&](const Call& call) { return is_dead(call.start) || is_dead(call.back); });
  }
}

}  // namespace calque
