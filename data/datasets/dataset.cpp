#include "data/datasets/dataset.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"
#include "data/datasets/preparation.h"
#include "data/datasets/tokenized_block.h"
#include "data/files/content_hash.h"

namespace calque {
namespace {

// Increase it when the same input gives other ids or another choice of rows.
constexpr int preparation_version = 1;

uint64_t key_of(const std::vector<CorpusSource>& corpora, const std::vector<Tokenizer>& tokenizers,
                const FilterOptions& filters) {
  ContentHash hash;
  hash.add(preparation_version);
  // Two columns are hashed without their number, which keeps the hashes of existing runs.
  if (tokenizers.size() != 2) hash.add_text("columns").add(tokenizers.size());
  for (const Tokenizer& tokenizer : tokenizers) hash.add(tokenizer.hash());
  hash.add(filters.max_length).add(filters.max_length_ratio);
  hash.add(filters.drop_duplicates).add(filters.invalid);
  for (const CorpusSource& corpus : corpora) hash.add(content_hash(corpus));
  return hash.value();
}

std::optional<int32_t> mark_of(const CorpusSource& source, const Tokenizer& tokenizer) {
  if (source.mark.empty()) return std::nullopt;
  const auto id = tokenizer.find(source.mark);
  if (!id) fail("{}: the tokenizer lacks the token {}", name_of(source), source.mark);
  return id;
}

// The rows of one corpus.
void add_corpus(const CorpusSource& source, const std::vector<Tokenizer>& tokenizers,
                const FilterOptions& filters, DatasetPreparation& preparation) {
  const Corpus corpus(source);
  require(corpus.columns() == std::ssize(tokenizers), "load_dataset: {} has {} columns, not {}",
          corpus.name(), corpus.columns(), tokenizers.size());
  preparation.begin_part(corpus.name(), corpus.size());
  const std::optional<int32_t> mark = mark_of(source, tokenizers.front());
  std::vector<std::string_view> texts(tokenizers.size());
  for (int64_t first = 0; first < corpus.size();) {
    const TokenizedBlock block = read_tokenized(corpus, first, tokenizers, filters, mark);
    for (int64_t i = 0; i < block.rows(); ++i, ++first) {
      std::ranges::transform(block.text.row(i), texts.begin(), &Line::text);
      preparation.add(texts, block.row(i), first, block.verdicts[i],
                      [&](int column) { return corpus.where(first, column); });
    }
  }
}

}  // namespace

Dataset load_dataset(const std::vector<CorpusSource>& corpora,
                     const std::vector<Tokenizer>& tokenizers, const DatasetOptions& options) {
  require(!corpora.empty() && !tokenizers.empty(), "load_dataset: {} corpora, {} tokenizers",
          corpora.size(), tokenizers.size());
  int32_t vocabulary = 0;
  for (const Tokenizer& tokenizer : tokenizers) vocabulary = std::max(vocabulary, tokenizer.size());
  const CacheKey key{.key = key_of(corpora, tokenizers, options.filters),
                     .columns = static_cast<int>(tokenizers.size()),
                     .vocabulary = vocabulary};
  Dataset dataset = load_sources(corpora, options.cache_folder, key,
                                 key.columns == 2 ? "pair" : "row", options.filters.drop_duplicates,
                                 [&](const CorpusSource& source, DatasetPreparation& preparation) {
                                   add_corpus(source, tokenizers, options.filters, preparation);
                                 });
  for (size_t i = 0; i < corpora.size(); ++i) dataset.parts[i].pair = corpora[i].pair;
  return dataset;
}

void Dataset::add_part(DatasetPart part) {
  if (!parts.empty()) {
    part.first_example = parts.back().first_example + parts.back().examples;
    part.first_line = lines();
  }
  parts.push_back(std::move(part));
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
    places.push_back(fmt::format("{}, {} {}", part.name, numbers.size() > 1 ? noun + "s" : noun,
                                 fmt::join(numbers, ", ")));
    first = last;
  }
  return fmt::format("{}{}", fmt::join(places, "; "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace calque
