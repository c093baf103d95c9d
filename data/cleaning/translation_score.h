#pragma once
// How likely two texts translate each other, by word translation probabilities that are learned
// from the corpus itself: by how much the words of one side make those of the other more probable
// than their frequencies alone, as a logarithm per word.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/parallel/word_translations.h"

namespace calque {

// Pairs at equal distances, so many that learning from them takes a few seconds.
class TranslationSample {
 public:
  void add(std::string_view source, std::string_view target);
  int64_t size() const { return std::ssize(pairs_); }

 private:
  friend class TranslationScore;

  using Words = std::vector<uint32_t>;  // hashes

  void thin_out();

  std::vector<std::array<Words, 2>> pairs_;
  int64_t offered_ = 0, distance_ = 1, cells_ = 0;
};

class TranslationScore {
 public:
  explicit TranslationScore(const TranslationSample& sample);

  // The mean of the side that explains the other one worse. About 0 for unrelated texts; nothing if
  // a side has no known word.
  std::optional<double> of(std::string_view source, std::string_view target) const;

  // The median of the sample's scores.
  double usual() const { return usual_; }

 private:
  using Ids = std::vector<int32_t>;

  struct Side {
    std::unordered_map<uint32_t, int32_t> ids;  // of words that are frequent enough
    std::vector<double> frequencies;            // by id
    Ids ids_of(const TranslationSample::Words& words) const;
  };

  static Side side_of(const TranslationSample& sample, int column);
  double explained(const Ids& given, const Ids& words, int from) const;
  std::optional<double> of_ids(const std::array<Ids, 2>& ids) const;
  void measure(const std::vector<std::array<Ids, 2>>& sample);

  std::array<Side, 2> sides_;
  std::array<std::optional<WordTranslations>, 2> translations_;  // from the source, to the source
  double usual_ = 0;
};

}  // namespace calque
