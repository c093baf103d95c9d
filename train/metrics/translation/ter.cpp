#include "train/metrics/translation/ter.h"

#include <algorithm>

#include "core/error.h"
#include "train/metrics/tokenization/characters.h"
#include "train/metrics/translation/ngrams.h"

namespace calque {
namespace {

// The layout of a row.
constexpr size_t edits_at = 0, length_at = 1, row_width = 2;

class RowMaker {
 public:
  RowMaker(Hypotheses hypotheses, References references, const TerOptions& options)
      : hypotheses_(hypotheses), references_(references), options_(options) {}

  void make(size_t segment, std::span<double> row) {
    numbers_.clear();
    texts_.clear();
    texts_.reserve(1 + references_.size());  // numbers_ has views of the strings: none may move
    const std::vector<int32_t> words = read(hypotheses_[segment]);
    double lengths = 0;
    int64_t fewest = -1;
    for (const std::vector<std::string>& reference : references_) {
      const std::vector<int32_t> reference_words = read(reference[segment]);
      const int64_t edits = translation_edits(words, reference_words);
      if (fewest < 0 || edits < fewest) fewest = edits;
      lengths += static_cast<double>(reference_words.size());
    }
    row[edits_at] = static_cast<double>(fewest);
    row[length_at] = lengths / static_cast<double>(references_.size());
  }

 private:
  std::vector<int32_t> read(const std::string& line) {
    const std::string text = well_formed(line);
    texts_.push_back(tercom_tokenize(without_trailing_space(text), options_));
    split_words(texts_.back(), split_);
    std::vector<int32_t> words;
    for (const std::string_view word : split_) words.push_back(numbers_.number(word));
    return words;
  }

  Hypotheses hypotheses_;
  References references_;
  const TerOptions& options_;
  std::vector<std::string> texts_;
  std::vector<std::string_view> split_;
  Numbering<std::string_view> numbers_;
};

}  // namespace

std::string TerScore::text(int decimals) const {
  return score_text("TER", signature, score, confidence, "", decimals);
}

SegmentStatistics ter_statistics(Hypotheses hypotheses, References references,
                                 const TerOptions& options) {
  return collect_statistics<RowMaker>(hypotheses, references, row_width, options);
}

TerScore ter_of_sums(std::span<const double> sums) {
  require(sums.size() == row_width, "ter_of_sums: {} sums instead of {}", sums.size(), row_width);
  TerScore result;
  result.edits = static_cast<int64_t>(sums[edits_at]);
  result.reference_length = sums[length_at];
  if (sums[length_at] > 0) {
    result.score = 100 * (sums[edits_at] / sums[length_at]);
  } else {
    result.score = sums[edits_at] > 0 ? 100 : 0;
  }
  return result;
}

std::string ter_signature(size_t references, const TerOptions& options,
                          std::string_view resampling) {
  return signature(references, resampling,
                   {{"case", options.case_sensitive ? "mixed" : "lc"},
                    {"tok", "tercom"},
                    {"norm", yes_no(options.normalized)},
                    {"punct", yes_no(!options.no_punctuation)},
                    {"asian", yes_no(options.asian_support)}});
}

TerScore ter(Hypotheses hypotheses, References references, const TerOptions& options) {
  TerScore result = ter_of_sums(ter_statistics(hypotheses, references, options).sums());
  result.signature = ter_signature(references.size(), options);
  return result;
}

}  // namespace calque
