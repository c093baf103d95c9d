#include "data/cleaning/clean.h"

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "core/threads/ordered_chunks.h"
#include "data/cleaning/fingerprints.h"
#include "data/cleaning/judged_block.h"
#include "data/cleaning/likeness.h"
#include "data/cleaning/model_rule.h"
#include "data/files/content_hash.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

// Surveys at most some million pairs: blocks at equal distances.
CorpusSurvey survey_of(const Corpus& corpus) {
  constexpr int64_t rows = 1 << 14, bytes = 8 << 20, most = int64_t{1} << 20;
  const int64_t skipped = corpus.size() / most * rows;
  CorpusSurvey survey;
  for (int64_t first = 0; first < corpus.size(); first += skipped) {
    const RowBlock block = corpus.read(first, rows, bytes);
    for (int64_t i = 0; i < block.rows(); ++i) {
      const std::span<const Line> row = block.row(i);
      if (is_text(row[0]) && is_text(row[1])) survey.add(row[0].text, row[1].text);
    }
    first += block.rows();
  }
  survey.measure();
  return survey;
}

class Cleaning {
 public:
  Cleaning(const Corpus& corpus, const CleanOptions& options)
      : corpus_(corpus),
        options_(options),
        survey_(survey_of(corpus)),
        rules_(options.rules, survey_) {
    for (size_t i = 0; i < report.dropped.size(); ++i) {
      report.dropped[i].what = rules_.what(static_cast<Rule>(i));
    }
    shifts_.begin_corpus();
    if (is_on(Rule::models) && options.costs) {
      report.usual_cost = models_.emplace(corpus, options, rules_).usual();
    }
  }

  // Returns the number of rows read.
  int64_t clean_block(int64_t first,
                      const std::function<void(std::string_view, std::string_view)>& keep) {
    JudgedBlock block = judge_rows(corpus_, first, rules_, options_.repair);
    if (models_) models_->judge(block);
    const std::vector<uint64_t> likenesses = likenesses_of(block);
    for (int64_t i = 0; i < block.rows(); ++i) {
      const std::span<const Line> pair = block.text.row(i);
      if (const RuleSet broken = judge(first + i, pair, block.broken[i], likenesses[i]);
          broken.any()) {
        drop(first + i, pair, block.broken[i], broken);
        continue;
      }
      ++report.kept;
      report.repaired += block.repaired[2 * i] || block.repaired[2 * i + 1];
      keep(pair[0].text, pair[1].text);
    }
    report.shifted = shifts_.shifted();
    return block.rows();
  }

  CleanReport report;

 private:
  bool is_on(Rule rule) const { return !options_.rules.off[static_cast<size_t>(rule)]; }

  // The hash of each pair that breaks no rule, or 0.
  std::vector<uint64_t> likenesses_of(const JudgedBlock& block) const {
    std::vector<uint64_t> all(block.rows());
    if (!is_on(Rule::nearly_repeated)) return all;
    parallel_chunks(block.rows(), 256, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        if (block.breaks_a_rule(row)) continue;
        const std::span<const Line> pair = block.text.row(row);
        all[row] = likeness(pair[0].text, pair[1].text).value_or(0);
      }
    });
    return all;
  }

  // The rules that the pair breaks, with those that depend on other pairs.
  RuleSet judge(int64_t index, std::span<const Line> pair, const std::array<RuleSet, 2>& broken,
                uint64_t likeness) {
    ++report.pairs;
    if (is_text(pair[0]) && is_text(pair[1])) {
      shifts_.add(static_cast<double>(count_code_points(pair[0].text)),
                  static_cast<double>(count_code_points(pair[1].text)), corpus_, index);
    }
    RuleSet all = broken[0] | broken[1];
    if (all.any()) return all;
    const uint64_t hash = ContentHash().add_text(pair[0].text).add_text(pair[1].text).value();
    const bool is_new = !is_on(Rule::repeated) || seen_.insert(hash);
    all[static_cast<size_t>(Rule::repeated)] = !is_new;
    all[static_cast<size_t>(Rule::nearly_repeated)] =
        is_new && likeness != 0 && !seen_alike_.insert(likeness);
    return all;
  }

  void drop(int64_t index, std::span<const Line> pair, const std::array<RuleSet, 2>& by_column,
            const RuleSet& broken) {
    size_t rule = 0;
    while (!broken[rule]) ++rule;
    const int column = by_column[0][rule] || !by_column[1][rule] ? 0 : 1;
    Dropped& dropped = report.dropped[rule];
    dropped.seen.add(corpus_, index, column);
    if (static_cast<Rule>(rule) < first_optional) return;
    if (std::ssize(dropped.examples) >= options_.examples) return;
    dropped.examples.push_back(
        {corpus_.where(index, column), std::string(pair[0].text), std::string(pair[1].text)});
  }

  const Corpus& corpus_;
  const CleanOptions& options_;
  const CorpusSurvey survey_;
  const PairRules rules_;
  std::optional<ModelRule> models_;
  Fingerprints seen_, seen_alike_;
  ShiftSearch shifts_;
};

}  // namespace

CleanReport clean_corpus(const Corpus& corpus, const CleanOptions& options,
                         const std::function<void(std::string_view, std::string_view)>& keep,
                         const std::function<void(int64_t)>& progress) {
  require(corpus.columns() == 2, "clean_corpus: {} has {} columns, not 2", corpus.name(),
          corpus.columns());
  Cleaning cleaning(corpus, options);
  for (int64_t first = 0; first < corpus.size();) {
    first += cleaning.clean_block(first, keep);
    if (progress) progress(first);
  }
  return cleaning.report;
}

}  // namespace calque
