// Cached token files. The header of the input is made sound again (magic, key, digest), or only the
// digest would be tested.

#include <cstring>

#include "core/error.h"
#include "data/content_hash.h"
#include "data/token_store.h"
#include "fuzz/memory_file.h"

using namespace calque;

namespace {

constexpr size_t header_size = 64, key_at = 16, digest_at = 24;
constexpr uint64_t key = 42;
constexpr int32_t vocabulary = 1000;

std::string signed_again(std::string bytes) {
  if (bytes.size() < header_size) return bytes;
  const uint64_t digest = content_hash(std::string_view(bytes).substr(header_size));
  std::memcpy(bytes.data(), "calque tokens 1\n", key_at);
  std::memcpy(bytes.data() + key_at, &key, sizeof key);
  std::memcpy(bytes.data() + digest_at, &digest, sizeof digest);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const MemoryFile file(signed_again(std::string(text_of(data, size))));
  try {
    const auto loaded = load_token_file(file.path(), key, vocabulary);
    if (!loaded) return 0;
    TokenPair pair;
    for (int64_t i = 0; i < loaded->store.count(); ++i) {
      loaded->store.read(i, pair);
      for (const int32_t id : pair.source) must(id >= 0 && id < vocabulary);
      for (const int32_t id : pair.target) must(id >= 0 && id < vocabulary);
    }
  } catch (const Error&) {
  }
  return 0;
}
