#include "data/dataset.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "data/content_hash.h"
#include "data/dataset_notes.h"
#include "data/tokenized_block.h"

namespace calque {
namespace {

// Raised when the same input gives other ids or another choice of pairs than before.
constexpr int preparation_version = 1;

uint64_t key_of(const std::vector<CorpusSource>& corpora, const Tokenizer& source,
                const Tokenizer& target, const FilterOptions& filters) {
  ContentHash hash;
  hash.add(preparation_version).add(source.hash()).add(target.hash());
  hash.add(filters.max_length).add(filters.max_length_ratio);
  hash.add(filters.drop_duplicates).add(filters.invalid);
  for (const CorpusSource& corpus : corpora) hash.add(content_hash(corpus));
  return hash.value();
}

std::string cache_path(const std::string& folder, uint64_t key) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail("{}: cannot make the folder: {}", folder, error.message());
  return (std::filesystem::path(folder) / fmt::format("tokens-{:016x}.bin", key)).string();
}

// What was being written when an earlier process was killed.
void remove_unfinished(const std::string& folder) {
  std::error_code ignored;  // it is in nobody's way but the disk's
  std::vector<std::filesystem::path> unfinished;
  for (std::filesystem::directory_iterator at(folder, ignored), end; at != end;
       at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with("tokens-") && name.find(".bin.new-") != name.npos) {
      unfinished.push_back(at->path());
    }
  }
  for (const auto& path : unfinished) std::filesystem::remove(path, ignored);
}

uint64_t hash_of(const LinePair& pair) {
  return ContentHash().add_text(pair.source.text).add_text(pair.target.text).value();
}

// Tokenises corpora one after the other into a writer.
class Preparation {
 public:
  Preparation(const Tokenizer& source, const Tokenizer& target, const FilterOptions& options,
              TokenWriter writer)
      : source_(source), target_(target), options_(options), writer_(std::move(writer)) {}

  void add(const Corpus& corpus) {
    DatasetPart part{
        .name = corpus.name(), .first_pair = pairs_, .first_line = lines_, .lines = corpus.size()};
    for (int64_t first = 0; first < corpus.size();) {
      const TokenizedBlock block = read_tokenized(corpus, first, source_, target_, options_);
      add(corpus, first, block);
      first += std::ssize(block.pairs);
    }
    part.pairs = pairs_ - part.first_pair;
    lines_ += part.lines;
    notes_.parts.push_back(part);
  }

  Dataset finish() {
    if (pairs_ == 0) {
      fail("{}: none of {} pairs is left after filtering: {}", notes_.parts.front().name, lines_,
           notes_.drops.text());
    }
    Dataset dataset;
    dataset.tokens = std::make_shared<const TokenStore>(writer_.finish(to_text(notes_)));
    dataset.parts = std::move(notes_.parts);
    dataset.drops = std::move(notes_.drops);
    return dataset;
  }

 private:
  void add(const Corpus& corpus, int64_t first, const TokenizedBlock& block) {
    for (int64_t i = 0; i < std::ssize(block.pairs); ++i) {
      const TokenizedPair& pair = block.pairs[i];
      Drop drop = pair.drop;
      if (drop == Drop::none && options_.drop_duplicates) {
        if (!seen_.insert(hash_of(block.text.pairs[i]))) drop = Drop::duplicate;
      }
      if (drop != Drop::none) {
        notes_.drops.add(drop, corpus.where(first + i, pair.blame));
        continue;
      }
      writer_.append(pair.source, pair.target, lines_ + first + i);
      ++pairs_;
    }
  }

  const Tokenizer& source_;
  const Tokenizer& target_;
  const FilterOptions& options_;
  TokenWriter writer_;
  DatasetNotes notes_;
  HashSet seen_;
  int64_t pairs_ = 0, lines_ = 0;
};

Dataset prepare(const std::vector<CorpusSource>& corpora, const Tokenizer& source,
                const Tokenizer& target, const FilterOptions& filters, TokenWriter writer) {
  Preparation preparation(source, target, filters, std::move(writer));
  for (const CorpusSource& corpus : corpora) preparation.add(Corpus(corpus));
  return preparation.finish();
}

std::optional<Dataset> load_cached(const std::string& path, uint64_t key, int32_t vocabulary) {
  auto loaded = load_token_file(path, key, vocabulary);
  if (!loaded) return std::nullopt;
  auto notes = from_text(loaded->notes);
  if (!notes) return std::nullopt;
  return Dataset{.tokens = std::make_shared<const TokenStore>(std::move(loaded->store)),
                 .parts = std::move(notes->parts),
                 .drops = std::move(notes->drops),
                 .from_cache = true};
}

// A cache that cannot be written is no reason to stop: the ids stay in memory. An error of the
// corpora themselves comes again there.
Dataset load_or_cache(const std::vector<CorpusSource>& corpora, const Tokenizer& source,
                      const Tokenizer& target, const DatasetOptions& options, int32_t vocabulary,
                      uint64_t key) {
  std::string problem;
  try {
    const std::string path = cache_path(options.cache_folder, key);
    remove_unfinished(options.cache_folder);
    if (auto cached = load_cached(path, key, vocabulary)) return std::move(*cached);
    return prepare(corpora, source, target, options.filters, TokenWriter(vocabulary, path, key));
  } catch (const Error& error) {
    problem = error.what();
  }
  Dataset dataset = prepare(corpora, source, target, options.filters, TokenWriter(vocabulary));
  dataset.cache_problem = std::move(problem);
  return dataset;
}

}  // namespace

Dataset load_dataset(const std::vector<CorpusSource>& corpora, const Tokenizer& source,
                     const Tokenizer& target, const DatasetOptions& options) {
  require(!corpora.empty(), "load_dataset: no corpora");
  for (const CorpusSource& corpus : corpora) {
    if (!(corpus.share.weight > 0))
      fail("{}: the weight {} is not above 0", name_of(corpus), corpus.share.weight);
  }
  const uint64_t key = key_of(corpora, source, target, options.filters);
  const int32_t vocabulary = std::max(source.size(), target.size());
  Dataset dataset = options.cache_folder.empty()
                        ? prepare(corpora, source, target, options.filters, TokenWriter(vocabulary))
                        : load_or_cache(corpora, source, target, options, vocabulary, key);
  // Names and shares are no content: they come from this call, wherever the ids come from.
  for (size_t i = 0; i < corpora.size(); ++i) {
    dataset.parts[i].name = name_of(corpora[i]);
    dataset.parts[i].share = corpora[i].share;
  }
  dataset.hash = key;
  return dataset;
}

const DatasetPart& Dataset::part_of(int64_t line) const {
  require(line >= 0 && line < lines(), "Dataset: line {} of {}", line, lines());
  return *std::prev(std::ranges::upper_bound(parts, line, {}, &DatasetPart::first_line));
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
    std::vector<int64_t> pairs(first, last);
    for (int64_t& pair : pairs) pair += 1 - part.first_line;
    places.push_back(fmt::format("{}, pair{} {}", part.name, pairs.size() > 1 ? "s" : "",
                                 fmt::join(pairs, ", ")));
    first = last;
  }
  return fmt::format("{}{}", fmt::join(places, "; "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace calque
