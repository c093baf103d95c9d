#pragma once
// The examples of word2vec (Mikolov et al. 2013): words and their neighbours. A text is cut into
// slices, and in every epoch
//   1. a word whose share of the text is f stays with the probability min(1, sqrt(t / f) + t / f),
//   2. each word that stays draws a distance from 1 to `window`; words within it are neighbours,
//   3. skip-gram predicts each neighbour from the word, CBOW the word from all its neighbours,
//   4. each prediction draws `negatives` other words, in proportion to count^0.75.
// All draws are a function of (seed, epoch, slice). <unk> and line ends are left out.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/named.h"
#include "core/random.h"
#include "data/batches/stream.h"
#include "data/datasets/dataset.h"

namespace calque {

enum class WordPrediction { skip_gram, cbow };
inline constexpr Named<WordPrediction> word_predictions[] = {
    {"skip-gram", WordPrediction::skip_gram}, {"cbow", WordPrediction::cbow}};

struct ContextOptions {
  WordPrediction predict = WordPrediction::skip_gram;
  int64_t slice = 256;  // length, with <unk> and line ends
  int64_t window = 5;
  int64_t negatives = 5;
  double subsample = 0.001;  // t; 0: every word stays
  uint64_t seed = 1;
};

// The columns of an example, which holds the predictions of a slice: the words that the predictions
// read, concatenated; the number of words that each prediction reads; and for each prediction the
// expected word and the negatives.
enum ContextColumn { read_words, read_counts, candidate_words, context_columns };

class WordContexts {
 public:
  // Requires a dataset of one column. `skipped` is an id that is not a word: that of a line end.
  // Throws an Error for a text of fewer than two different words.
  WordContexts(Dataset text, int32_t vocabulary, const ContextOptions& options,
               int32_t skipped = -1);

  int64_t count() const { return std::ssize(slices_); }
  int64_t words(int64_t slice) const { return slices_[static_cast<size_t>(slice)].length; }
  void read(int64_t epoch, int64_t slice, Example& out) const;
  std::string where(int64_t slice) const;

  // The slices as examples; the cost is the length of the slice.
  ExampleSet examples() const;

 private:
  struct Slice {
    int64_t document, begin, length;
  };
  bool is_word(int32_t id) const;
  std::vector<int32_t> kept_words(const Slice& slice, Random& random) const;
  void add_prediction(std::span<const int32_t> from, int32_t expected, Random& random,
                      Example& out) const;
  int32_t negative(int32_t expected, Random& random) const;

  Dataset text_;
  ContextOptions options_;
  int32_t skipped_;
  std::vector<Slice> slices_;
  std::vector<SharedRange> parts_;
  std::vector<double> kept_;          // [vocabulary]  the probability that a word stays
  std::vector<double> noise_before_;  // [vocabulary + 1]  the sum of count^0.75 before each word
};

}  // namespace calque
