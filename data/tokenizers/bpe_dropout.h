#pragma once
// BPE-dropout (Provilkov et al., ACL 2020): skips merges of byte-pair encoding at random, so that
// training sees a text in different subwords each time. Without it every merge is applied.
//
//   const BpeDropout dropout(model, 0.1);
//   dropout.resegment(ids, random);  // "▁trans lation" -> "▁tr ans lat ion"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/random.h"
#include "data/tokenizers/sentence_piece.h"

namespace calque {

class BpeDropout {
 public:
  // Each merge is skipped with this probability, which is in [0, 1). Requires a BPE model.
  BpeDropout(const SentencePieceModel& model, double probability);

  // Splits the subwords into characters and merges them again. Subwords that are not made by merges
  // stay whole: <unk>, bytes, user-defined symbols.
  void resegment(std::vector<int32_t>& ids, Random& random) const;

 private:
  template <class Dropped>
  void merge(std::vector<int32_t>& ids, const Dropped& dropped) const;
  int32_t joined(int32_t left, int32_t right) const;
  using Ids = std::unordered_map<std::string, int32_t>;  // by subword
  void learn_merges(const Ids& ids);
  void learn_spellings(const SentencePieceModel& model, const Ids& ids);

  double probability_;
  std::vector<float> scores_;                     // by id; the highest is merged first
  std::unordered_map<uint64_t, int32_t> merges_;  // from left and right subword to the whole
  std::vector<std::vector<int32_t>> spellings_;   // by id: its characters, or itself
};

}  // namespace calque
