#include "data/datasets/check.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/error.h"
#include "data/cleaning/judged_block.h"
#include "data/cleaning/survey.h"
#include "data/datasets/tokenized_block.h"
#include "data/files/content_hash.h"
#include "data/tokenizers/vocabulary.h"

namespace calque {
namespace {

// The thresholds of the suspicions. A split of fewer than enough_pairs raises none.
constexpr int64_t enough_pairs = 50;
constexpr double many_copies = 0.2, little_correlation = 0.5, one_language = 0.8,
                 many_unknown = 0.1, many_shared = 0.01, many_dropped = 0.5, swap_margin = 0.1,
                 many_found = 0.005;

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
  CorpusSurvey survey;
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
      shifts_.begin_corpus();
      for (int64_t first = 0; first < corpus.size();) {
        const TokenizedBlock block = read_tokenized(corpus, first, tokenizers_, filters_);
        for (int64_t i = 0; i < block.rows(); ++i) add(block, i, corpus, first + i);
        first += block.rows();
      }
    }
    report.length_correlation = lengths_.value();
    report.side_similarity = content.survey.side_similarity();
    find_broken_rules(split);
  }

  bool lengths_vary() const { return lengths_.both_vary(); }

  SplitReport report;
  SplitContent content;

 private:
  void add(const TokenizedBlock& block, int64_t row, const Corpus& corpus, int64_t index) {
    const Verdict& verdict = block.verdicts[row];
    kept_.push_back(false);
    if (verdict.drop == Drop::invalid) report.invalid.add(corpus, index, verdict.column);
    if (verdict.drop == Drop::nul) report.nuls.add(corpus, index, verdict.column);
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
    content.survey.add(source, target);
    kept_.back() = true;
    ++report.kept;
    if (repeated) report.repeated.add(corpus, index, 0);
    if (training_) {
      report.pairs_in_training += training_->pairs.contains(pair_hash);
      report.sources_in_training += training_->sources.contains(source_hash);
    }
    const auto ids = block.row(row);
    add_sentence(ids[0], report.source);
    add_sentence(ids[1], report.target);
    const auto source_length = static_cast<double>(ids[0].size());
    const auto target_length = static_cast<double>(ids[1].size());
    lengths_.add(source_length, target_length);
    shifts_.add(source_length, target_length, corpus, index);
  }

  static void add_broken(const std::array<RuleSet, 2>& broken, const Corpus& corpus, int64_t index,
                         std::array<Sightings, rule_count>& seen) {
    for (const int column : {0, 1}) {
      for (size_t rule = 0; rule < seen.size(); ++rule) {
        if (broken[column][rule]) seen[rule].add(corpus, index, column);
      }
    }
  }

  // Reads the split again, now that it has been surveyed.
  void find_broken_rules(const SplitSource& split) {
    content.survey.measure();
    const PairRules rules({}, content.survey);
    std::array<Sightings, rule_count> seen;
    auto kept = kept_.begin();
    for (const CorpusSource& place : split.corpora) {
      const Corpus corpus(place);
      for (int64_t first = 0; first < corpus.size();) {
        const JudgedBlock block = judge_rows(corpus, first, rules, false);
        for (int64_t i = 0; i < block.rows(); ++i) {
          if (*kept++) add_broken(block.broken[i], corpus, first + i, seen);
        }
        first += block.rows();
      }
    }
    for (size_t i = 0; i < seen.size(); ++i) {
      const auto rule = static_cast<Rule>(i);
      if (rule == Rule::copy) {
        report.copies = seen[i];
      } else if (seen[i].count > 0) {
        const bool learned = rule == Rule::translation || rule == Rule::source_language ||
                             rule == Rule::target_language;
        const double usual = learned ? 0.05 : 0;
        report.findings.push_back({rules.what(rule), seen[i], usual});
      }
    }
    const Sightings shifted = shifts_.shifted();
    if (shifted.count > 0) report.findings.push_back({shifted_pairs, shifted, 0, false});
  }

  std::array<Tokenizer, 2> tokenizers_;
  FilterOptions filters_;
  const SplitContent* training_;
  Correlation lengths_;
  ShiftSearch shifts_;
  std::vector<bool> kept_;  // by row
};

std::string percent(int64_t part, int64_t whole) {
  return fmt::format("{:.1f}%", 100 * share_of(part, whole));
}

void find_problems(const SplitReport& split, InvalidText invalid, CheckReport& report) {
  for (const auto& [lines, what] :
       {std::pair(&split.invalid, "are not valid UTF-8"), {&split.nuls, "have a NUL"}}) {
    if (lines->count == 0 || invalid != InvalidText::error) continue;
    report.problems.push_back(
        fmt::format("{}: {} lines {}{}; fix them or set data.invalid_utf8: skip", split.name,
                    lines->count, what, lines->places()));
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
  const bool copied = share_of(split.copies.count, split.kept) > many_copies;
  suspect(copied, "source and target are equal in " + percent(split.copies.count, split.kept) +
                      " of the pairs; is one file named twice?");
  suspect(
      !copied && split.side_similarity > one_language,
      fmt::format("both sides use the same words (similarity {:.2f}); are they in one language?",
                  split.side_similarity));
  suspect(lengths_vary && split.length_correlation < little_correlation,
          fmt::format("the lengths of source and target correlate little ({:.2f}; usual: 0.8 and "
                      "more); are the lines shifted?",
                      split.length_correlation));
  for (const Finding& finding : split.findings) {
    suspect(share_of(finding.seen.count, split.kept) > std::max(many_found, finding.usual),
            fmt::format("{} {}{}", finding.seen.count, finding.what, finding.seen.places()));
  }
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
  const auto& [sources, targets] = split.survey.words;
  const auto& [training_sources, training_targets] = training.survey.words;
  const double straight =
      sources.similarity(training_sources) + targets.similarity(training_targets);
  const double crossed =
      sources.similarity(training_targets) + targets.similarity(training_sources);
  return crossed > straight + swap_margin;
}

}  // namespace

bool can_be_cleaned(const SplitReport& split) {
  const auto above_usual = [&](const Finding& finding) {
    return finding.by_rule && share_of(finding.seen.count, split.kept) > finding.usual;
  };
  return split.copies.count > 0 || split.repeated.count > 0 ||
         std::ranges::any_of(split.findings, above_usual);
}

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
