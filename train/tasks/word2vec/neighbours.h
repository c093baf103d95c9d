#pragma once
// The words whose vectors have the largest cosine with a vector, and analogies between words
// (Mikolov et al. 2013): a is to b as c is to the word nearest to b - a + c, with unit vectors.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/tokenizers/tokenizer.h"
#include "decode/nearest_rows.h"
#include "nn/models/word2vec.h"
#include "train/report/records.h"

namespace calque {

// A table of word vectors. <unk>, <s>, </s> and line ends are not words.
class WordSpace {
 public:
  WordSpace(const Tensor& vectors, const Tokenizer& tokenizer);

  // The id of a word, which the tokenizer may lowercase. Throws an Error for text that is not one
  // word of the vocabulary.
  int32_t id_of(const std::string& word) const;

  // The nearest words, nearest first, without the given words.
  std::vector<NearRow> near(int32_t word, int64_t count) const;
  std::vector<NearRow> analogous(int32_t a, int32_t b, int32_t c, int64_t count) const;

  const Tokenizer& tokenizer() const { return tokenizer_; }

 private:
  std::vector<NearRow> nearest(const std::vector<double>& to, std::span<const int32_t> without,
                               int64_t count) const;

  const Tokenizer tokenizer_;
  NearestRows rows_;
};

// At most `count` words spread over the vocabulary, each with its five nearest words.
std::vector<Sample> neighbour_samples(const WordSpace& space, int64_t count);

// The vectors of all words in word2vec's text format.
std::string vectors_as_text(const Tensor& vectors, const Tokenizer& tokenizer);

}  // namespace calque
