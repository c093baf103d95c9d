// Cached token files. The header of the input gets the right magic, key and digest, without which
// nothing else would be read.

#include <cstring>

#include "core/error.h"
#include "data/datasets/token_store.h"
#include "data/files/content_hash.h"
#include "fuzz/memory_file.h"

using namespace calque;

namespace {

constexpr size_t header_size = 64, key_at = 16, digest_at = 24;
constexpr uint64_t key = 42;
constexpr int32_t vocabulary = 1000;
constexpr int most_columns_tried = 3;

std::string signed_again(std::string bytes) {
  if (bytes.size() < header_size) return bytes;
  const uint64_t digest = content_hash(std::string_view(bytes).substr(header_size));
  std::memcpy(bytes.data(), "calque tokens 2\n", key_at);
  std::memcpy(bytes.data() + key_at, &key, sizeof key);
  std::memcpy(bytes.data() + digest_at, &digest, sizeof digest);
  return bytes;
}

void read_store(const TokenStore& store, int columns) {
  must(store.columns() == columns);
  Example example;
  std::vector<int32_t> slice;
  for (int64_t i = 0; i < store.count(); ++i) {
    store.read(i, example);
    for (int column = 0; column < columns; ++column) {
      const std::vector<int32_t>& ids = example[static_cast<size_t>(column)];
      for (const int32_t id : ids) must(id >= 0 && id < vocabulary);
      store.read_slice(i, column, 0, store.length(i, column), slice);
      must(slice == ids);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const MemoryFile file(signed_again(std::string(text_of(data, size))));
  try {
    for (int columns = 1; columns <= most_columns_tried; ++columns) {
      if (const auto loaded = load_token_file(file.path(), key, columns, vocabulary)) {
        read_store(loaded->store, columns);
      }
    }
  } catch (const Error&) {
  }
  return 0;
}
