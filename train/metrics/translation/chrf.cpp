#include "train/metrics/translation/chrf.h"

#include <algorithm>

#include "core/error.h"
#include "data/text/utf8.h"
#include "train/metrics/tokenization/characters.h"
#include "train/metrics/translation/ngrams.h"

namespace calque {
namespace {

// The layout of a row: for every order, first of characters, then of words, three counts of
// n-grams.
struct OrderCounts {
  double hypothesis, reference, common;
};

size_t order_count(const ChrfOptions& options) {
  return static_cast<size_t>(options.character_order) + static_cast<size_t>(options.word_order);
}

double f_score(std::span<const double> row, const ChrfOptions& options) {
  constexpr double epsilon = 1e-16;
  const double factor = options.beta * options.beta;
  double smoothed = 0, precision_sum = 0, recall_sum = 0;
  int present = 0;
  for (size_t i = 0; i < row.size(); i += 3) {
    const OrderCounts counts{row[i], row[i + 1], row[i + 2]};
    const double precision = counts.hypothesis > 0 ? counts.common / counts.hypothesis : epsilon;
    const double recall = counts.reference > 0 ? counts.common / counts.reference : epsilon;
    const double denominator = factor * precision + recall;
    smoothed += denominator > 0 ? (1 + factor) * precision * recall / denominator : epsilon;
    if (counts.hypothesis > 0 && counts.reference > 0) {
      precision_sum += precision;
      recall_sum += recall;
      ++present;
    }
  }
  const size_t orders = row.size() / 3;
  if (options.eps_smoothing) return 100 * smoothed / static_cast<double>(orders);
  if (present == 0 || precision_sum + recall_sum == 0) return 0;
  const double precision = precision_sum / present, recall = recall_sum / present;
  return 100 * ((1 + factor) * precision * recall / (factor * precision + recall));
}

// Splits an ASCII punctuation mark from the end of a word or, if it has none there, from its start.
void split_punctuation(std::string_view word, std::vector<std::string_view>& parts) {
  const auto is_mark = [](char byte) {
    return byte > ' ' && byte < 0x7F && !(byte >= '0' && byte <= '9') &&
           !(byte >= 'A' && byte <= 'Z') && !(byte >= 'a' && byte <= 'z');
  };
  size_t first = 0;
  next_code_point(word, first);
  if (first == word.size() || (!is_mark(word.back()) && !is_mark(word.front()))) {
    parts.push_back(word);
    return;
  }
  const size_t cut = is_mark(word.back()) ? word.size() - 1 : 1;
  parts.push_back(word.substr(0, cut));
  parts.push_back(word.substr(cut));
}

class RowMaker {
 public:
  RowMaker(Hypotheses hypotheses, References references, const ChrfOptions& options)
      : hypotheses_(hypotheses), references_(references), options_(options) {
    texts_.resize(1 + references.size());
    characters_.resize(1 + references.size());
    words_.resize(1 + references.size());
    rows_.resize(1 + references.size(), std::vector<double>(3 * order_count(options)));
  }

  void make(size_t segment, std::span<double> row) {
    word_numbers_.clear();
    read(hypotheses_[segment], 0);
    for (size_t r = 0; r < references_.size(); ++r) read(references_[r][segment], 1 + r);
    const auto character_orders = static_cast<size_t>(options_.character_order);
    count(characters_, 0, character_orders);
    count(words_, character_orders, order_count(options_));
    double best = -1;
    for (size_t r = 1; r < rows_.size(); ++r) {
      const double score = f_score(rows_[r], options_);
      if (score > best) std::ranges::copy(rows_[r], row.begin());
      best = std::max(best, score);
    }
  }

 private:
  void read(const std::string& line, size_t sequence) {
    std::string& text = texts_[sequence];
    text = well_formed(line);
    if (options_.lowercase) text = full_lowercase(text);
    const std::string kept = options_.whitespace ? text : without_spaces(text);
    characters_[sequence].clear();
    for (size_t at = 0; at < kept.size();) {
      characters_[sequence].push_back(static_cast<int32_t>(next_code_point(kept, at)));
    }
    if (options_.word_order == 0) return;
    split_words(text, split_);
    parts_.clear();
    for (const std::string_view word : split_) split_punctuation(word, parts_);
    words_[sequence].clear();
    for (const std::string_view part : parts_) {
      words_[sequence].push_back(word_numbers_.number(part));
    }
  }

  // Fills the orders [from, to) of the row of each reference.
  void count(const std::vector<std::vector<int32_t>>& sequences, size_t from, size_t to) {
    matcher_.start(sequences);
    for (size_t order = from; order < to; ++order) {
      matcher_.next_order();
      for (size_t r = 1; r < sequences.size(); ++r) {
        double* counts = &rows_[r][3 * order];
        counts[1] = static_cast<double>(matcher_.total(r));
        // If the reference is too short for the order, the hypothesis does not count either.
        counts[0] = counts[1] > 0 ? static_cast<double>(matcher_.total(0)) : 0;
        counts[2] = static_cast<double>(matcher_.common(r));
      }
    }
  }

  Hypotheses hypotheses_;
  References references_;
  const ChrfOptions& options_;
  std::vector<std::string> texts_;  // the views of split_, parts_ and word_numbers_ point into them
  std::vector<std::string_view> split_, parts_;
  Numbering<std::string_view> word_numbers_;
  std::vector<std::vector<int32_t>> characters_, words_;
  std::vector<std::vector<double>> rows_;  // of each reference, from index 1 on
  NgramMatcher matcher_;
};

}  // namespace

std::string ChrfScore::text(int decimals) const {
  return score_text(name, signature, score, confidence, "", decimals);
}

SegmentStatistics chrf_statistics(Hypotheses hypotheses, References references,
                                  const ChrfOptions& options) {
  if (options.character_order < 0 || options.word_order < 0 || order_count(options) == 0) {
    fail("chrF of character order {} and word order {}: one of them must be above 0, none below",
         options.character_order, options.word_order);
  }
  if (options.beta < 1) fail("chrF with beta {}: it must be 1 or more", options.beta);
  const size_t width = 3 * order_count(options);
  return collect_statistics<RowMaker>(hypotheses, references, width, options);
}

ChrfScore chrf_of_sums(std::span<const double> sums, const ChrfOptions& options) {
  require(sums.size() == 3 * order_count(options), "chrf_of_sums: {} sums instead of {}",
          sums.size(), 3 * order_count(options));
  ChrfScore result;
  result.score = f_score(sums, options);
  result.name = fmt::format("chrF{}", options.beta);
  result.name.append(static_cast<size_t>(options.word_order), '+');
  return result;
}

std::string chrf_signature(size_t references, const ChrfOptions& options,
                           std::string_view resampling) {
  return signature(references, resampling,
                   {{"case", options.lowercase ? "lc" : "mixed"},
                    {"eff", yes_no(!options.eps_smoothing)},
                    {"nc", std::to_string(options.character_order)},
                    {"nw", std::to_string(options.word_order)},
                    {"space", yes_no(options.whitespace)}});
}

ChrfScore chrf(Hypotheses hypotheses, References references, const ChrfOptions& options) {
  const std::vector<double> sums = chrf_statistics(hypotheses, references, options).sums();
  ChrfScore result = chrf_of_sums(sums, options);
  result.signature = chrf_signature(references.size(), options);
  return result;
}

}  // namespace calque
