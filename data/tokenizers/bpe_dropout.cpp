#include "data/tokenizers/bpe_dropout.h"

#include "core/error.h"
#include "data/text/utf8.h"
#include "data/tokenizers/vocabulary.h"

namespace calque {
namespace {

constexpr int32_t none = -1;

uint64_t key_of(int32_t left, int32_t right) {
  return static_cast<uint64_t>(left) << 32 | static_cast<uint32_t>(right);
}

}  // namespace

BpeDropout::BpeDropout(const SentencePieceModel& model, double probability)
    : probability_(probability) {
  require(probability >= 0 && probability < 1, "BpeDropout: a probability of {}", probability);
  require(model.is_bpe(), "BpeDropout: the model has no merges");
  Ids ids;  // of the characters and the subwords made by merges
  for (int32_t id = 0; id < model.size(); ++id) {
    scores_.push_back(model.score(id));
    if (id >= special_ids && model.is_found(id)) ids.emplace(model.piece(id), id);
  }
  learn_merges(ids);
  learn_spellings(model, ids);
}

// Two subwords merge if the vocabulary has their concatenation.
void BpeDropout::learn_merges(const Ids& ids) {
  for (const auto& [subword, whole] : ids) {
    for (const size_t border : character_borders(subword)) {
      const auto left = ids.find(subword.substr(0, border));
      const auto right = ids.find(subword.substr(border));
      if (left != ids.end() && right != ids.end()) {
        merges_[key_of(left->second, right->second)] = whole;
      }
    }
  }
}

// A subword whose characters do not merge to it is not made by merges: it stays whole.
void BpeDropout::learn_spellings(const SentencePieceModel& model, const Ids& ids) {
  for (int32_t id = 0; id < model.size(); ++id) {
    const std::string subword = model.piece(id);
    const std::vector<size_t> borders = character_borders(subword);
    std::vector<int32_t> characters;
    for (size_t i = 0; i + 1 < borders.size(); ++i) {
      const auto found = ids.find(subword.substr(borders[i], borders[i + 1] - borders[i]));
      characters.push_back(found == ids.end() ? none : found->second);
    }
    std::vector<int32_t> again = characters;
    merge(again, [] { return false; });
    spellings_.push_back(again == std::vector{id} ? characters : std::vector{id});
  }
}

int32_t BpeDropout::joined(int32_t left, int32_t right) const {
  const auto found = merges_.find(key_of(left, right));
  return found == merges_.end() ? none : found->second;
}

// Applies the merge with the highest score first; of merges with equal scores, the leftmost. A
// dropped merge is not tried again, unless one of its two subwords changes.
template <class Dropped>
void BpeDropout::merge(std::vector<int32_t>& ids, const Dropped& dropped) const {
  std::vector<int32_t> wholes;  // the merge of each subword with the next one, or none
  for (size_t i = 0; i + 1 < ids.size(); ++i) wholes.push_back(joined(ids[i], ids[i + 1]));
  while (true) {
    size_t best = wholes.size();
    for (size_t i = 0; i < wholes.size(); ++i) {
      if (wholes[i] == none) continue;
      if (best == wholes.size() || scores_[wholes[i]] > scores_[wholes[best]]) best = i;
    }
    if (best == wholes.size()) return;
    if (dropped()) {
      wholes[best] = none;
      continue;
    }
    ids[best] = wholes[best];
    ids.erase(ids.begin() + best + 1);
    wholes.erase(wholes.begin() + best);
    if (best < wholes.size()) wholes[best] = joined(ids[best], ids[best + 1]);
    if (best > 0) wholes[best - 1] = joined(ids[best - 1], ids[best]);
  }
}

void BpeDropout::resegment(std::vector<int32_t>& ids, Random& random) const {
  std::vector<int32_t> characters;
  for (const int32_t id : ids) {
    characters.insert(characters.end(), spellings_[id].begin(), spellings_[id].end());
  }
  merge(characters, [&] { return random.uniform() < probability_; });
  ids = std::move(characters);
}

}  // namespace calque
