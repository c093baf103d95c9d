#pragma once
// A folder of prepared datasets: one token file for each key.

#include <cstdint>
#include <functional>
#include <string>

#include "data/dataset.h"
#include "data/token_store.h"

namespace calque {

struct CacheKey {
  uint64_t key = 0;  // a hash of everything that decides the content
  int columns = 0;
  int32_t vocabulary = 0;
};

// Returns the dataset from the folder if it is there; otherwise what `prepare` returns, which
// writes it there through its writer. If the file cannot be written (cache_problem says why) or the
// folder is empty, the ids stay in memory. The caller sets names, shares and the noun.
Dataset cached_dataset(const std::string& folder, const CacheKey& key,
                       const std::function<Dataset(TokenWriter)>& prepare);

// What a token file stores of a dataset beside the ids, as lines of text: the parts without names
// and shares, the sizes and the drops.
std::string notes_of(const Dataset& dataset);

}  // namespace calque
