#pragma once
// Where prepared datasets are kept: one token file for each key, in a folder of their own.

#include <cstdint>
#include <functional>
#include <string>

#include "data/dataset.h"
#include "data/token_store.h"

namespace calque {

struct CacheKey {
  uint64_t key = 0;  // of all that decides the content
  int columns = 0;
  int32_t vocabulary = 0;
};

// The dataset from the folder if it has it; otherwise what `prepare` makes, by way of a writer into
// the folder. If that cannot be written (the dataset's cache_problem says why), or the folder is
// empty, the writer keeps the ids in memory. Names, shares and nouns are left to the caller.
Dataset cached_dataset(const std::string& folder, const CacheKey& key,
                       const std::function<Dataset(TokenWriter)>& prepare);

}  // namespace calque
