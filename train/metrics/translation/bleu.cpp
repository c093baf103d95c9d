#include "train/metrics/translation/bleu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "core/error.h"
#include "train/metrics/tokenization/characters.h"
#include "train/metrics/translation/ngrams.h"

namespace calque {
namespace {

constexpr size_t orders = BleuScore::orders;

// The layout of a row: two lengths, the matches of each order, the n-grams of each order.
constexpr size_t length_at = 0, reference_length_at = 1, matches_at = 2, totals_at = 2 + orders;
constexpr size_t row_width = 2 + 2 * orders;

struct SmoothingName {
  Smoothing smoothing;
  std::string_view name;
  double value;  // the default; 0 for a method without a value
};
constexpr std::array<SmoothingName, 4> smoothing_names = {{{Smoothing::none, "none", 0},
                                                           {Smoothing::exponential, "exp", 0},
                                                           {Smoothing::floor, "floor", 0.1},
                                                           {Smoothing::add_k, "add-k", 1}}};

const SmoothingName& named(Smoothing smoothing) {
  return smoothing_names[static_cast<size_t>(smoothing)];
}

double smoothing_value(const BleuOptions& options) {
  return options.smoothing_value.value_or(named(options.smoothing).value);
}

// Turns the segments of a corpus into rows, one after the other.
class RowMaker {
 public:
  RowMaker(Hypotheses hypotheses, References references, const BleuOptions& options)
      : hypotheses_(hypotheses), references_(references), options_(options) {
    tokens_.resize(1 + references.size());
    texts_.resize(1 + references.size());
  }

  void make(size_t segment, std::span<double> row) {
    words_.clear();
    read(hypotheses_[segment], 0);
    for (size_t r = 0; r < references_.size(); ++r) read(references_[r][segment], 1 + r);
    row[length_at] = static_cast<double>(tokens_[0].size());
    row[reference_length_at] = static_cast<double>(closest_length());
    matcher_.start(tokens_);
    for (size_t n = 0; n < orders; ++n) {
      matcher_.next_order();
      row[matches_at + n] = static_cast<double>(matcher_.common_with_any());
      row[totals_at + n] = static_cast<double>(matcher_.total(0));
    }
  }

 private:
  void read(const std::string& line, size_t sequence) {
    std::string text = well_formed(line);
    if (options_.lowercase) text = full_lowercase(text);
    texts_[sequence] = tokenize(without_trailing_space(text), options_.tokenization);
    split_words(texts_[sequence], split_);
    tokens_[sequence].clear();
    for (const std::string_view word : split_) tokens_[sequence].push_back(words_.number(word));
  }

  // The shorter one, if two references are equally close.
  size_t closest_length() const {
    const auto distance = [&](size_t length) {
      return std::abs(static_cast<int64_t>(length) - static_cast<int64_t>(tokens_[0].size()));
    };
    size_t closest = tokens_[1].size();
    for (size_t s = 2; s < tokens_.size(); ++s) {
      const size_t length = tokens_[s].size();
      const int64_t gain = distance(closest) - distance(length);
      if (gain > 0 || (gain == 0 && length < closest)) closest = length;
    }
    return closest;
  }

  Hypotheses hypotheses_;
  References references_;
  const BleuOptions& options_;
  std::vector<std::string> texts_;  // the words of words_ and split_ point into them
  std::vector<std::string_view> split_;
  Numbering<std::string_view> words_;
  std::vector<std::vector<int32_t>> tokens_;
  NgramMatcher matcher_;
};

// Sets the precision of each order up to the first without n-grams; returns their number.
size_t smoothed_precisions(std::span<const double> matches, std::span<const double> totals,
                           const BleuOptions& options, std::array<double, orders>& precisions) {
  const double value = smoothing_value(options);
  double halving = 1;
  for (size_t n = 0; n < orders; ++n) {
    const double added = options.smoothing == Smoothing::add_k && n > 0 ? value : 0;
    const double match = matches[n] + added, total = totals[n] + added;
    if (total == 0) return n;
    if (match != 0) {
      precisions[n] = 100 * match / total;
    } else if (options.smoothing == Smoothing::exponential) {
      halving *= 2;
      precisions[n] = 100 / (halving * total);
    } else if (options.smoothing == Smoothing::floor) {
      precisions[n] = 100 * value / total;
    }
  }
  return orders;
}

double floored_log(double x) { return x == 0 ? -9999999999.0 : std::log(x); }

}  // namespace

Smoothing parse_smoothing(std::string_view name) {
  for (const SmoothingName& known : smoothing_names) {
    if (known.name == name) return known.smoothing;
  }
  fail("unknown smoothing '{}': there are exp, floor, add-k and none", name);
}

double BleuScore::ratio() const {
  if (reference_length == 0) return 0;
  return static_cast<double>(hypothesis_length) / static_cast<double>(reference_length);
}

std::string BleuScore::text(int decimals) const {
  const std::string details = fmt::format(
      "{:.1f}/{:.1f}/{:.1f}/{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})",
      precisions[0], precisions[1], precisions[2], precisions[3], brevity_penalty, ratio(),
      hypothesis_length, reference_length);
  return score_text("BLEU", signature, score, confidence, details, decimals);
}

SegmentStatistics bleu_statistics(Hypotheses hypotheses, References references,
                                  const BleuOptions& options) {
  return collect_statistics<RowMaker>(hypotheses, references, row_width, options);
}

BleuScore bleu_of_sums(std::span<const double> sums, const BleuOptions& options) {
  require(sums.size() == row_width, "bleu_of_sums: {} sums instead of {}", sums.size(), row_width);
  BleuScore result;
  result.hypothesis_length = static_cast<int64_t>(sums[length_at]);
  result.reference_length = static_cast<int64_t>(sums[reference_length_at]);
  const double length = sums[length_at], reference_length = sums[reference_length_at];
  result.brevity_penalty = length >= reference_length ? 1
                           : length > 0               ? std::exp(1 - reference_length / length)
                                                      : 0;
  const auto matches = sums.subspan(matches_at, orders), totals = sums.subspan(totals_at, orders);
  // Without any match, smoothing does not apply.
  if (std::ranges::all_of(matches, [](double count) { return count == 0; })) return result;

  const size_t present = smoothed_precisions(matches, totals, options, result.precisions);
  const size_t used = options.effective_order ? present : orders;
  double sum = 0;
  for (size_t n = 0; n < used; ++n) sum += floored_log(result.precisions[n]);
  result.score = result.brevity_penalty * std::exp(sum / static_cast<double>(used));
  return result;
}

std::string bleu_signature(size_t references, const BleuOptions& options,
                           std::string_view resampling) {
  const SmoothingName& smoothing = named(options.smoothing);
  std::string smooth(smoothing.name);
  if (smoothing.value != 0) smooth += fmt::format("[{:.2f}]", smoothing_value(options));
  return signature(references, resampling,
                   {{"case", options.lowercase ? "lc" : "mixed"},
                    {"eff", yes_no(options.effective_order)},
                    {"tok", std::string(name_of(tokenizations, options.tokenization))},
                    {"smooth", smooth}});
}

BleuScore bleu(Hypotheses hypotheses, References references, const BleuOptions& options) {
  const std::vector<double> sums = bleu_statistics(hypotheses, references, options).sums();
  BleuScore result = bleu_of_sums(sums, options);
  result.signature = bleu_signature(references.size(), options);
  return result;
}

bool looks_tokenized(Hypotheses hypotheses) {
  return std::ranges::count_if(hypotheses, [](const std::string& line) {
           return without_trailing_space(line).ends_with(" .");
         }) >= 100;
}

std::string tokenized_warning(Hypotheses hypotheses, const BleuOptions& options) {
  if (options.tokenization == Tokenization::none || !looks_tokenized(hypotheses)) return "";
  return "a hundred lines end in ' .', so the text looks tokenized; BLEU expects detokenized text, "
         "see --tokenize none";
}

}  // namespace calque
