#pragma once
// Collects examples into a dataset: writes their ids and counts what is kept and what is dropped.
// Datasets are cached in a folder, as one token file for each key. The notes of a token file are
// lines of text with the parts (without names and shares), the sizes and the drops.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "data/datasets/dataset.h"

namespace calque {

struct CacheKey {
  uint64_t key = 0;  // a hash of everything that decides the content
  int columns = 0;
  int32_t vocabulary = 0;
};

class DatasetPreparation {
 public:
  DatasetPreparation(TokenWriter writer, int columns, std::string noun, bool drop_duplicates)
      : writer_(std::move(writer)), drop_duplicates_(drop_duplicates) {
    dataset_.noun = std::move(noun);
    dataset_.sizes.resize(columns);
  }

  void begin_part(const std::string& name, int64_t lines) {
    dataset_.add_part({.name = name, .lines = lines});
  }

  // Adds line `line` of the part: its texts and ids by column. `verdict` is why it is dropped, or
  // Drop::none; `where` returns its place for messages. Duplicates are dropped too if
  // drop_duplicates is set.
  void add(std::span<const std::string_view> texts, std::span<const std::span<const int32_t>> ids,
           int64_t line, Verdict verdict, const std::function<std::string(int column)>& where);

  // Throws an Error if no example was kept.
  Dataset finish();

 private:
  bool is_duplicate(std::span<const std::string_view> texts);

  TokenWriter writer_;
  bool drop_duplicates_;
  Dataset dataset_;
  std::unordered_set<uint64_t> seen_;  // hashes of the texts kept
};

// Throws an Error for a weight that is not above 0.
void require_weight(const CorpusShare& share, const std::string& name);

// Returns the cached dataset if the folder has it. Otherwise calls `prepare`, which writes the ids
// to the folder through its writer. If the file cannot be written (cache_problem has the reason) or
// `folder` is an empty string, the ids stay in memory.
Dataset cached_dataset(const std::string& folder, const CacheKey& key,
                       const std::function<Dataset(TokenWriter)>& prepare);

// The dataset of the sources: from the cache, or built by add(source, preparation) for each source.
template <class Source, class Add>
Dataset load_sources(const std::vector<Source>& sources, const std::string& cache_folder,
                     const CacheKey& key, const std::string& noun, bool drop_duplicates,
                     const Add& add) {
  for (const Source& source : sources) require_weight(source.share, name_of(source));
  Dataset dataset = cached_dataset(cache_folder, key, [&](TokenWriter writer) {
    DatasetPreparation preparation(std::move(writer), key.columns, noun, drop_duplicates);
    for (const Source& source : sources) add(source, preparation);
    return preparation.finish();
  });
  // Names and shares are not content: a cached dataset takes them from the sources.
  for (size_t i = 0; i < sources.size(); ++i) {
    dataset.parts[i].name = name_of(sources[i]);
    dataset.parts[i].share = sources[i].share;
  }
  dataset.noun = noun;
  dataset.hash = key.key;
  return dataset;
}

}  // namespace calque
