#include "data/datasets/check.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/error.h"
#include "data/datasets/pair_signs.h"
#include "data/datasets/tokenized_block.h"
#include "data/files/content_hash.h"
#include "data/text/utf8.h"
#include "data/tokenizers/vocabulary.h"

namespace calque {
namespace {

// The thresholds of the suspicions. A split of fewer than enough_pairs raises none.
constexpr int64_t enough_pairs = 50;
constexpr double many_copies = 0.2, little_correlation = 0.5, same_language = 0.8,
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
      shifts_.begin_corpus();
      for (int64_t first = 0; first < corpus.size();) {
        const TokenizedBlock block = read_tokenized(corpus, first, tokenizers_, filters_);
        for (int64_t i = 0; i < block.rows(); ++i) add(block, i, corpus, first + i);
        first += block.rows();
      }
    }
    report.length_correlation = lengths_.value();
    report.side_similarity = content.source_words.similarity(content.target_words);
    if (report.kept < enough_pairs) return;
    if (report.side_similarity < same_language) {
      for (const CorpusSource& place : split.corpora) find_swapped(Corpus(place));
    }
    list_findings();
  }

  bool lengths_vary() const { return lengths_.both_vary(); }

  SplitReport report;
  SplitContent content;

 private:
  void add(const TokenizedBlock& block, int64_t row, const Corpus& corpus, int64_t index) {
    const Verdict& verdict = block.verdicts[row];
    if (verdict.drop == Drop::invalid) {
      const std::string_view text = block.text.row(row)[verdict.column].text;
      const bool nul = text[*find_invalid_utf8(text)] == '\0';
      (nul ? report.nuls : report.invalid).add(corpus, index, verdict.column);
    }
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
    if (repeated) report.repeated.add(corpus, index, 0);
    if (source == target) report.copies.add(corpus, index, 0);
    look_at(source, source_scripts_, corpus, index, 0);
    look_at(target, target_scripts_, corpus, index, 1);
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

  void look_at(std::string_view text, ScriptCount& scripts, const Corpus& corpus, int64_t index,
               int column) {
    scripts.add(text, corpus, index, column);
    if (has_markup(text)) markup_.add(corpus, index, column);
    if (has_mojibake(text)) mojibake_.add(corpus, index, column);
  }

  // Reads the corpus again, now that the words of both sides are known.
  void find_swapped(const Corpus& corpus) {
    constexpr int64_t rows = 1 << 14, bytes = 8 << 20;
    const WordProfile &sources = content.source_words, &targets = content.target_words;
    for (int64_t first = 0; first < corpus.size();) {
      const RowBlock block = corpus.read(first, rows, bytes);
      for (int64_t i = 0; i < block.rows(); ++i) {
        const std::span<const Line> row = block.row(i);
        if (is_text(row[0]) && is_text(row[1]) && reads_like(row[0].text, targets, sources) &&
            reads_like(row[1].text, sources, targets)) {
          swapped_.add(corpus, first + i, 0);
        }
      }
      first += block.rows();
    }
  }

  void list_findings() {
    const auto list = [this](const std::string& what, const Sightings& seen) {
      if (seen.count > 0) report.findings.push_back({what, seen});
    };
    list("pairs with swapped sides", swapped_);
    list("pairs that may be shifted: their lengths do not correlate", shifts_.shifted());
    list(fmt::format("source lines in another script than {}", source_scripts_.usual()),
         source_scripts_.others());
    list(fmt::format("target lines in another script than {}", target_scripts_.usual()),
         target_scripts_.others());
    list("lines with HTML tags or references", markup_);
    list("lines with broken characters, such as \u00c3\u00a4 for \u00e4", mojibake_);
  }

  std::array<Tokenizer, 2> tokenizers_;
  FilterOptions filters_;
  const SplitContent* training_;
  Correlation lengths_;
  ShiftSearch shifts_;
  ScriptCount source_scripts_, target_scripts_;
  Sightings markup_, mojibake_, swapped_;
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
      !copied && split.side_similarity > same_language,
      fmt::format("both sides use the same words (similarity {:.2f}); are they in one language?",
                  split.side_similarity));
  suspect(lengths_vary && split.length_correlation < little_correlation,
          fmt::format("the lengths of source and target correlate little ({:.2f}; usual: 0.8 and "
                      "more); are the lines shifted?",
                      split.length_correlation));
  for (const Finding& finding : split.findings) {
    suspect(share_of(finding.seen.count, split.kept) > many_found,
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
