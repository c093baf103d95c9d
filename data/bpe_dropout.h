#pragma once
// BPE-dropout (Provilkov et al., ACL 2020): training sees a text in other subwords each time,
// because some of the merges of byte-pair encoding are left out at random. The model learns more of
// the words' parts, and small corpora reach further. Translation makes every merge, as without it.
//
//   const BpeDropout dropout(model, 0.1);
//   dropout.resegment(ids, random);  // "▁trans lation" -> "▁tr ans lat ion"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/random.h"
#include "data/sentence_piece.h"

namespace calque {

class BpeDropout {
 public:
  // Each merge is left out with the probability, at least 0 and less than 1. The model must be a
  // BPE model: others have no merges.
  BpeDropout(const SentencePieceModel& model, double probability);

  // Splits the subwords into characters and merges them again. What no merge has made stays whole:
  // <unk>, bytes, user-defined symbols.
  void resegment(std::vector<int32_t>& ids, Random& random) const;

 private:
  template <class Dropped>
  void merge(std::vector<int32_t>& ids, const Dropped& dropped) const;
  int32_t joined(int32_t left, int32_t right) const;
  using Ids = std::unordered_map<std::string, int32_t>;  // by subword
  void learn_merges(const Ids& ids);
  void learn_spellings(const SentencePieceModel& model, const Ids& ids);

  double probability_;
  std::vector<float> scores_;                     // by id; the best merge is made first
  std::unordered_map<uint64_t, int32_t> merges_;  // left and right subword, to the whole
  std::vector<std::vector<int32_t>> spellings_;   // by id: of one character each, or itself
};

}  // namespace calque
