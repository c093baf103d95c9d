#include "train/tasks/translation/terms/marked_corpora.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/error.h"
#include "core/random.h"
#include "data/files/content_hash.h"
#include "data/terms/glossary.h"
#include "data/terms/learned_terms.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/translation/synthetic/rewritten.h"

namespace calque {
namespace {

constexpr uint32_t term_draws = 0x7e3a5000;  // the purpose of the random numbers

// At most about this many pairs, spread over the corpora.
LearnedTerms::Pairs sample_of(const std::vector<CorpusSource>& sources) {
  constexpr int64_t most = 300'000, bytes_at_once = 4 << 20, rows_at_once = 10'000;
  const std::vector<Corpus> corpora(sources.begin(), sources.end());
  int64_t all = 0;
  for (const Corpus& corpus : corpora) all += corpus.size();
  const int64_t distance = 1 + (all - 1) / most;
  LearnedTerms::Pairs pairs;
  for (const Corpus& corpus : corpora) {
    for (int64_t first = 0; first < corpus.size();) {
      const RowBlock block = corpus.read(first, rows_at_once, bytes_at_once);
      for (int64_t i = 0; i < block.rows(); ++i, ++first) {
        const auto row = block.row(i);
        if (first % distance != 0 || !is_text(row[0]) || !is_text(row[1])) continue;
        pairs.emplace_back(row[0].text, row[1].text);
      }
    }
  }
  return pairs;
}

// The terms of a glossary that a pair has on both sides, inflected or not.
std::vector<TermMark> marks_of(const Glossary& glossary, const std::string& source,
                               const std::string& target) {
  std::vector<TermMark> marks;
  const TermText words(target);
  for (const FoundTerm& found : glossary.find(source)) {
    if (match_term(words, *found.term) == TermMatch::none) continue;
    marks.push_back({found.range, found.term->targets.front()});
  }
  return marks;
}

int64_t count_marked(const CorpusSource& source) {
  constexpr int64_t bytes_at_once = 4 << 20, rows_at_once = 10'000;
  const Corpus corpus(source);
  int64_t marked = 0;
  for (int64_t first = 0; first < corpus.size();) {
    const RowBlock block = corpus.read(first, rows_at_once, bytes_at_once);
    for (int64_t i = 0; i < block.rows(); ++i) {
      marked += block.row(i)[0].text.find(term_begin) != std::string_view::npos ? 1 : 0;
    }
    first += block.rows();
  }
  return marked;
}

}  // namespace

MarkedCorpora mark_terms(const std::vector<CorpusSource>& sources, const Config& config,
                         const std::string& folder) {
  const TermTraining& terms = config.data.terms;
  const auto seed = static_cast<uint64_t>(config.training.seed);
  ContentHash hash;
  hash.add(terms.share).add(seed);
  Glossary glossary;
  std::unique_ptr<const LearnedTerms> learned;  // when a corpus is not in the cache
  if (!terms.file.empty()) glossary = read_glossary(terms.file);
  hash.add(glossary.hash());
  for (const CorpusSource& source : sources) hash.add(content_hash(source));
  MarkedCorpora marked;
  int64_t count = 0;
  for (size_t k = 0; k < sources.size(); ++k) {
    Rewriting rewriting{.name = "terms",
                        .hash = ContentHash().add(hash.value()).add(k).value(),
                        .invalid = filter_options(config.data).invalid,
                        .change = {}};
    rewriting.change = [&, k](int64_t line, std::string& source, std::string& target) {
      Random random(
          Stream{seed, static_cast<uint32_t>(k), static_cast<uint32_t>(line), term_draws});
      if (random.uniform() >= terms.share) return;
      if (glossary.empty() && !learned) {
        learned = std::make_unique<const LearnedTerms>(sample_of(sources));
      }
      source = with_term_marks(source, learned ? learned->draw(source, target, random)
                                               : marks_of(glossary, source, target));
    };
    marked.sources.push_back(rewritten(sources[k], rewriting, folder));
    count += count_marked(marked.sources.back());
  }
  if (count == 0) {
    fail("data.terms: no training pair that was drawn has a term{} in both languages",
         terms.file.empty() ? "" : " of " + terms.file);
  }
  marked.description = fmt::format("; terms marked in {} sources", count);
  return marked;
}

}  // namespace calque
