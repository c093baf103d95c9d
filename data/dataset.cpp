#include "data/dataset.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "data/content_hash.h"
#include "data/dataset_cache.h"
#include "data/dataset_preparation.h"
#include "data/tokenized_block.h"

namespace calque {
namespace {

// Raised when the same input gives other ids or another choice of rows than before.
constexpr int preparation_version = 1;

uint64_t key_of(const std::vector<CorpusSource>& corpora, const std::vector<Tokenizer>& tokenizers,
                const FilterOptions& filters) {
  ContentHash hash;
  hash.add(preparation_version);
  // Two columns are hashed without their number, so that runs with an older hash resume.
  if (tokenizers.size() != 2) hash.add_text("columns").add(tokenizers.size());
  for (const Tokenizer& tokenizer : tokenizers) hash.add(tokenizer.hash());
  hash.add(filters.max_length).add(filters.max_length_ratio);
  hash.add(filters.drop_duplicates).add(filters.invalid);
  for (const CorpusSource& corpus : corpora) hash.add(content_hash(corpus));
  return hash.value();
}

std::string noun_of(size_t columns) { return columns == 2 ? "pair" : "row"; }

void add_block(const Corpus& corpus, int64_t first, const TokenizedBlock& block,
               DatasetPreparation& preparation) {
  std::vector<std::string_view> texts(static_cast<size_t>(block.text.columns));
  for (int64_t i = 0; i < block.rows(); ++i) {
    std::ranges::transform(block.text.row(i), texts.begin(), &Line::text);
    Verdict verdict = block.verdicts[static_cast<size_t>(i)];
    if (verdict.drop == Drop::none && preparation.is_duplicate(texts)) {
      verdict = {Drop::duplicate, 0};
    }
    if (verdict.drop == Drop::none) {
      preparation.keep(texts, block.row(i), first + i);
    } else {
      preparation.drop(verdict.drop, corpus.where(first + i, verdict.column));
    }
  }
}

Dataset prepare(const std::vector<CorpusSource>& corpora, const std::vector<Tokenizer>& tokenizers,
                const FilterOptions& filters, TokenWriter writer) {
  DatasetPreparation preparation(std::move(writer), static_cast<int>(tokenizers.size()),
                                 noun_of(tokenizers.size()), filters.drop_duplicates);
  for (const CorpusSource& source : corpora) {
    const Corpus corpus(source);
    require(corpus.columns() == std::ssize(tokenizers), "load_dataset: {} has {} columns, not {}",
            corpus.name(), corpus.columns(), tokenizers.size());
    preparation.begin_part(corpus.name(), corpus.size());
    for (int64_t first = 0; first < corpus.size();) {
      const TokenizedBlock block = read_tokenized(corpus, first, tokenizers, filters);
      add_block(corpus, first, block, preparation);
      first += block.rows();
    }
  }
  return preparation.finish();
}

}  // namespace

Dataset load_dataset(const std::vector<CorpusSource>& corpora,
                     const std::vector<Tokenizer>& tokenizers, const DatasetOptions& options) {
  require(!corpora.empty() && !tokenizers.empty(), "load_dataset: {} corpora, {} tokenizers",
          corpora.size(), tokenizers.size());
  for (const CorpusSource& corpus : corpora) require_weight(corpus.share, name_of(corpus));
  int32_t vocabulary = 0;
  for (const Tokenizer& tokenizer : tokenizers) {
    vocabulary = std::max(vocabulary, tokenizer.size());
  }
  const CacheKey key{.key = key_of(corpora, tokenizers, options.filters),
                     .columns = static_cast<int>(tokenizers.size()),
                     .vocabulary = vocabulary};
  Dataset dataset = cached_dataset(options.cache_folder, key, [&](TokenWriter writer) {
    return prepare(corpora, tokenizers, options.filters, std::move(writer));
  });
  // Names and shares are no content: they come from this call, wherever the ids come from.
  for (size_t i = 0; i < corpora.size(); ++i) {
    dataset.parts[i].name = name_of(corpora[i]);
    dataset.parts[i].share = corpora[i].share;
  }
  dataset.noun = noun_of(tokenizers.size());
  dataset.hash = key.key;
  return dataset;
}

const DatasetPart& Dataset::part_of(int64_t line) const {
  require(line >= 0 && line < lines(), "Dataset: line {} of {}", line, lines());
  return *std::prev(std::ranges::upper_bound(parts, line, {}, &DatasetPart::first_line));
}

std::vector<SharedRange> Dataset::ranges() const {
  std::vector<SharedRange> ranges;
  for (const DatasetPart& part : parts) {
    ranges.push_back({.first = part.first_example,
                      .count = part.examples,
                      .share = part.share,
                      .name = part.name});
  }
  return ranges;
}

bool Dataset::same_parts(int64_t epoch, int64_t other) const {
  return std::ranges::all_of(parts, [&](const DatasetPart& part) {
    return part.share.has(epoch) == part.share.has(other);
  });
}

std::string Dataset::where(int64_t line) const { return where(std::vector{line}); }

std::string Dataset::where(std::vector<int64_t> lines) const {
  constexpr size_t most = 8;
  const size_t more = lines.size() > most ? lines.size() - most : 0;
  std::ranges::sort(lines);
  lines.resize(lines.size() - more);
  std::vector<std::string> places;
  for (auto first = lines.begin(); first != lines.end();) {
    const DatasetPart& part = part_of(*first);
    const auto last = std::find_if(
        first, lines.end(), [&](int64_t line) { return line >= part.first_line + part.lines; });
    std::vector<int64_t> numbers(first, last);
    for (int64_t& number : numbers) number += 1 - part.first_line;
    places.push_back(fmt::format("{}, {} {}", part.name, numbers.size() > 1 ? plural(noun) : noun,
                                 fmt::join(numbers, ", ")));
    first = last;
  }
  return fmt::format("{}{}", fmt::join(places, "; "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace calque
