#include "decode/constraints/output_constraint.h"

#include <algorithm>

#include "core/error.h"
#include "decode/constraints/character_set.h"

namespace calque {
namespace {

// When the automaton has this many items, or masks were computed for so many tokens, those that no
// text is at are forgotten: some 40 and 32 MB.
constexpr int64_t most_items = 1 << 20, most_mask_bits = int64_t{256} << 20;

// The network for what the vocabulary can spell.
ByteNetwork network_of(const Grammar& grammar, const SpelledVocabulary& vocabulary) {
  ByteNetwork spelled(grammar, vocabulary.characters());
  const auto has_texts = [](const ByteNetwork& network) {
    return network.states()[static_cast<size_t>(network.start())].height != ByteNetwork::dead;
  };
  if (has_texts(spelled)) return spelled;
  if (has_texts(ByteNetwork(grammar, all_characters()))) {
    fail("the model's vocabulary cannot spell any text that matches");
  }
  fail("no text matches that nests at most {} values", ByteNetwork::deepest);
}

}  // namespace

OutputConstraint::OutputConstraint(std::shared_ptr<const SpelledVocabulary> vocabulary,
                                   const Grammar& grammar)
    : vocabulary_(std::move(vocabulary)), automaton_(network_of(grammar, *vocabulary_)) {}

OutputConstraint::Place OutputConstraint::start(std::span<const int32_t> prompt) const {
  return {automaton_.start(), vocabulary_->is_at_line_begin(prompt)};
}

OutputConstraint::Place OutputConstraint::after(const Place& place, int32_t id) const {
  const std::lock_guard lock(mutex_);
  const Automaton::State* state = place.state.get();
  for (const char byte : vocabulary_->spelling(id, place.begins_line)) {
    state = automaton_.step(state, static_cast<uint8_t>(byte));
    require(state != nullptr, "OutputConstraint: the token {} is not allowed", id);
  }
  return {Automaton::hold(state), vocabulary_->begins_line(id)};
}

bool OutputConstraint::accepts(std::string_view text) const {
  const std::lock_guard lock(mutex_);
  return automaton_.accepts(text);
}

std::shared_ptr<const TokenMask> OutputConstraint::allowed(const Place& place) const {
  const std::lock_guard lock(mutex_);
  auto& mask = place.state->masks[place.begins_line ? 1 : 0];
  if (mask) return mask;
  if (automaton_.size() > most_items) automaton_.forget();
  if (++masks_ * vocabulary_->size() > most_mask_bits) {
    automaton_.forget_masks();
    masks_ = 1;
  }
  return mask = std::make_shared<const TokenMask>(compute_mask(place));
}

// Walks the tree of the vocabulary and the automaton together.
TokenMask OutputConstraint::compute_mask(const Place& place) const {
  TokenMask mask(static_cast<size_t>(vocabulary_->size() + 63) / 64);
  const auto& nodes = vocabulary_->nodes();
  const auto& order = vocabulary_->token_order();
  std::vector<const Automaton::State*> path(vocabulary_->longest() + 1);
  path[0] = place.state.get();
  for (size_t i = 0; i + 1 < nodes.size();) {
    const SpelledVocabulary::Node& node = nodes[i];
    const bool dropped = place.begins_line && node.depth == 1 && node.byte == ' ';
    const Automaton::State* state =
        dropped ? path[0] : automaton_.step(path[node.depth - 1U], node.byte);
    if (!state) {
      i = node.after;
      continue;
    }
    path[node.depth] = state;
    for (uint32_t k = node.tokens; k < nodes[i + 1].tokens; ++k) {
      const auto id = static_cast<size_t>(order[k]);
      mask[id / 64] |= uint64_t{1} << (id % 64);
    }
    ++i;
  }
  return mask;
}

ConstrainedText::ConstrainedText(std::shared_ptr<const OutputConstraint> constraint,
                                 std::vector<int32_t> ends, std::span<const int32_t> prompt)
    : constraint_(std::move(constraint)), ends_(std::move(ends)) {
  if (constraint_) place_ = constraint_->start(prompt);
}

bool ConstrainedText::ends_text(int32_t id) const { return std::ranges::count(ends_, id) > 0; }

void ConstrainedText::forbid_tokens(std::span<real> scores) const {
  if (!constraint_) return;
  const std::shared_ptr<const TokenMask> mask = constraint_->allowed(place_);
  std::vector<real> ends;
  for (const int32_t id : ends_) {
    ends.push_back(place_.state->accepting ? scores[static_cast<size_t>(id)] : minus_infinity);
  }
  for (size_t begin = 0; begin < scores.size(); begin += 64) {
    const uint64_t word = begin / 64 < mask->size() ? (*mask)[begin / 64] : 0;
    if (~word == 0) continue;
    for (size_t id = begin; id < std::min(begin + 64, scores.size()); ++id) {
      if ((word >> (id - begin) & 1) == 0) scores[id] = minus_infinity;
    }
  }
  for (size_t i = 0; i < ends_.size(); ++i) scores[static_cast<size_t>(ends_[i])] = ends[i];
}

void ConstrainedText::append(int32_t id) {
  if (constraint_ && !ends_text(id)) place_ = constraint_->after(place_, id);
}

std::string_view ConstrainedText::spelling(int32_t id) const {
  return constraint_->vocabulary().spelling(id, place_.begins_line);
}

}  // namespace calque
