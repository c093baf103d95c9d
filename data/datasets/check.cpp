#include "data/datasets/check.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/error.h"
#include "data/datasets/tokenized_block.h"
#include "data/files/content_hash.h"
#include "data/tokenizers/symbol_model.h"
#include "data/tokenizers/vocabulary.h"

namespace calque {
namespace {

// The thresholds of the suspicions. A split of fewer than enough_pairs raises none.
constexpr int64_t enough_pairs = 50;
constexpr double many_copies = 0.2, little_correlation = 0.2, same_language = 0.8,
                 many_unknown = 0.1, many_shared = 0.01, many_dropped = 0.5, swap_margin = 0.1;

// Pearson's correlation.
class Correlation {
 public:
  void add(double x, double y) {
    n_ += 1;
    x_ += x, y_ += y;
    xx_ += x * x, yy_ += y * y, xy_ += x * y;
  }
  double value() const {
    const double x_spread = n_ * xx_ - x_ * x_, y_spread = n_ * yy_ - y_ * y_;
    if (n_ < 2 || x_spread <= 0 || y_spread <= 0) return 0;
    return (n_ * xy_ - x_ * y_) / std::sqrt(x_spread * y_spread);
  }
  bool both_vary() const { return n_ * xx_ > x_ * x_ && n_ * yy_ > y_ * y_; }

 private:
  double n_ = 0, x_ = 0, y_ = 0, xx_ = 0, yy_ = 0, xy_ = 0;
};

// How often the words of a text occur, in a table of fixed size: enough to tell whether two texts
// are in the same language.
class WordProfile {
 public:
  void add(std::string_view text) {
    for_each_symbol(SymbolUnit::word, text, [this](std::string_view word) {
      ++counts_[content_hash(word) % counts_.size()];
    });
  }

  // The cosine of the square roots of the counts: 1 for the same words equally often, 0 for no word
  // in common. The roots reduce the influence of very frequent words.
  double similarity(const WordProfile& other) const {
    double shared = 0, sum = 0, other_sum = 0;
    for (size_t i = 0; i < counts_.size(); ++i) {
      const auto mine = static_cast<double>(counts_[i]);
      const auto theirs = static_cast<double>(other.counts_[i]);
      shared += std::sqrt(mine * theirs);
      sum += mine;
      other_sum += theirs;
    }
    const double scale = std::sqrt(sum * other_sum);
    return scale == 0 ? 0 : shared / scale;
  }

 private:
  std::vector<int64_t> counts_ = std::vector<int64_t>(1 << 16);
};

void add_sentence(std::span<const int32_t> ids, SideReport& side) {
  const auto length = std::ssize(ids);
  side.tokens += length;
  side.unknown += std::ranges::count(ids, unknown_id);
  side.longest = std::max(side.longest, length);
  ++side.lengths[std::ranges::lower_bound(length_classes, length) - length_classes.begin()];
}

// The properties by which splits are compared.
struct SplitContent {
  std::unordered_set<uint64_t> pairs, sources;  // hashes
  WordProfile source_words, target_words;
};

// Examines one split.
class Examination {
 public:
  Examination(const Tokenizer& source, const Tokenizer& target, const FilterOptions& filters,
              const SplitContent* training)
      : tokenizers_{source, target}, filters_(filters), training_(training) {
    filters_.invalid = InvalidText::skip;  // to count all invalid texts
  }

  void examine(const SplitSource& split) {
    report.name = split.name;
    for (const CorpusSource& place : split.corpora) {
      const Corpus corpus(place);
      require(corpus.columns() == 2, "check_corpora: {} has {} columns, not 2", corpus.name(),
              corpus.columns());
      report.lines += corpus.size();
      for (int64_t first = 0; first < corpus.size();) {
        const TokenizedBlock block = read_tokenized(corpus, first, tokenizers_, filters_);
        for (int64_t i = 0; i < block.rows(); ++i) add(block, i, corpus, first + i);
        first += block.rows();
      }
    }
    report.length_correlation = lengths_.value();
    report.side_similarity = content.source_words.similarity(content.target_words);
  }

  bool lengths_vary() const { return lengths_.both_vary(); }

  SplitReport report;
  SplitContent content;

 private:
  void add(const TokenizedBlock& block, int64_t row, const Corpus& corpus, int64_t index) {
    const Verdict& verdict = block.verdicts[row];
    if (verdict.drop != Drop::none) {
      return report.drops.add(verdict.drop, corpus.where(index, verdict.column));
    }
    const std::string_view source = block.text.row(row)[0].text;
    const std::string_view target = block.text.row(row)[1].text;
    const uint64_t source_hash = content_hash(source);
    const uint64_t pair_hash = ContentHash().add(source_hash).add_text(target).value();
    const bool repeated = !content.pairs.insert(pair_hash).second;
    if (repeated && filters_.drop_duplicates) {
      return report.drops.add(Drop::duplicate, corpus.where(index, 0));
    }
    content.sources.insert(source_hash);
    content.source_words.add(source);
    content.target_words.add(target);
    ++report.kept;
    report.repeated += repeated;
    report.copies += source == target;
    if (training_) {
      report.pairs_in_training += training_->pairs.contains(pair_hash);
      report.sources_in_training += training_->sources.contains(source_hash);
    }
    const auto ids = block.row(row);
    add_sentence(ids[0], report.source);
    add_sentence(ids[1], report.target);
    lengths_.add(static_cast<double>(ids[0].size()), static_cast<double>(ids[1].size()));
  }

  std::array<Tokenizer, 2> tokenizers_;
  FilterOptions filters_;
  const SplitContent* training_;
  Correlation lengths_;
};

std::string percent(int64_t part, int64_t whole) {
  return fmt::format("{:.1f}%", 100 * share_of(part, whole));
}

void find_problems(const SplitReport& split, InvalidText invalid, CheckReport& report) {
  const DropTally::Reason& broken = split.drops.of(Drop::invalid);
  if (broken.count > 0 && invalid == InvalidText::error) {
    report.problems.push_back(
        fmt::format("{}: {} lines are not valid UTF-8 (first: {}); fix them or set "
                    "data.invalid_utf8: skip",
                    split.name, broken.count, broken.first));
  }
  if (split.kept == 0) {
    report.problems.push_back(
        fmt::format("{}: nothing is left after filtering: {}", split.name, split.drops.text()));
  }
}

void find_suspicions(const SplitReport& split, bool lengths_vary, CheckReport& report) {
  const auto suspect = [&](bool condition, const std::string& text) {
    if (condition) report.suspicions.push_back(split.name + ": " + text);
  };
  if (split.kept < enough_pairs) return;
  suspect(share_of(split.lines - split.kept, split.lines) > many_dropped,
          percent(split.lines - split.kept, split.lines) + " of the pairs are dropped");
  const bool copied = share_of(split.copies, split.kept) > many_copies;
  suspect(copied, "source and target are equal in " + percent(split.copies, split.kept) +
                      " of the pairs; is one file named twice?");
  suspect(
      !copied && split.side_similarity > same_language,
      fmt::format("both sides use the same words (similarity {:.2f}); are they in one language?",
                  split.side_similarity));
  suspect(lengths_vary && std::abs(split.length_correlation) < little_correlation,
          fmt::format("the lengths of source and target do not correlate ({:.2f}); are the lines "
                      "shifted?",
                      split.length_correlation));
  for (const auto& [name, side] : {std::pair("source", &split.source), {"target", &split.target}}) {
    suspect(share_of(side->unknown, side->tokens) > many_unknown,
            fmt::format("{} of the {} tokens are unknown; is it the right language and tokenizer?",
                        percent(side->unknown, side->tokens), name));
  }
  suspect(share_of(split.pairs_in_training, split.kept) > many_shared,
          percent(split.pairs_in_training, split.kept) + " of the pairs are in the training data");
}

// Whether each side of a split resembles the other side of the training data.
bool looks_swapped(const SplitContent& split, const SplitContent& training) {
  const double straight = split.source_words.similarity(training.source_words) +
                          split.target_words.similarity(training.target_words);
  const double crossed = split.source_words.similarity(training.target_words) +
                         split.target_words.similarity(training.source_words);
  return crossed > straight + swap_margin;
}

}  // namespace

CheckReport check_corpora(const std::vector<SplitSource>& splits, const Tokenizer& source,
                          const Tokenizer& target, const FilterOptions& filters) {
  CheckReport report;
  std::optional<SplitContent> training;
  for (size_t i = 0; i < splits.size(); ++i) {
    Examination examination(source, target,
                            splits[i].filtered ? filters : only_invalid_dropped(filters.invalid),
                            training ? &*training : nullptr);
    try {
      examination.examine(splits[i]);
    } catch (const Error& error) {
      report.problems.emplace_back(error.what());
      continue;
    }
    const SplitReport& split = examination.report;
    find_problems(split, filters.invalid, report);
    find_suspicions(split, examination.lengths_vary(), report);
    if (training && split.kept >= enough_pairs && looks_swapped(examination.content, *training)) {
      report.suspicions.push_back(
          split.name + ": source and target look swapped, compared with the training data");
    }
    report.splits.push_back(split);
    if (i == 0) training = std::move(examination.content);
  }
  return report;
}

}  // namespace calque
