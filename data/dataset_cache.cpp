#include "data/dataset_cache.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "core/error.h"
#include "data/dataset_notes.h"

namespace calque {
namespace {

std::string cache_path(const std::string& folder, uint64_t key) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail("{}: cannot make the folder: {}", folder, error.message());
  return (std::filesystem::path(folder) / fmt::format("tokens-{:016x}.bin", key)).string();
}

// Removes what an earlier process was writing when it was killed.
void remove_unfinished(const std::string& folder) {
  std::error_code ignored;  // such a file costs nothing but its room on the disk
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

std::optional<Dataset> load_cached(const std::string& path, const CacheKey& key) {
  auto loaded = load_token_file(path, key.key, key.columns, key.vocabulary);
  if (!loaded) return std::nullopt;
  auto notes = from_text(loaded->notes);
  if (!notes || std::ssize(notes->sizes) != key.columns) return std::nullopt;
  return Dataset{.tokens = std::make_shared<const TokenStore>(std::move(loaded->store)),
                 .parts = std::move(notes->parts),
                 .drops = std::move(notes->drops),
                 .sizes = std::move(notes->sizes),
                 .from_cache = true};
}

}  // namespace

Dataset cached_dataset(const std::string& folder, const CacheKey& key,
                       const std::function<Dataset(TokenWriter)>& prepare) {
  if (folder.empty()) return prepare(TokenWriter(key.columns, key.vocabulary));
  std::string problem;
  try {
    const std::string path = cache_path(folder, key.key);
    remove_unfinished(folder);
    if (auto cached = load_cached(path, key)) return std::move(*cached);
    return prepare(TokenWriter(key.columns, key.vocabulary, path, key.key));
  } catch (const Error& error) {
    problem = error.what();  // an error of the texts themselves is thrown again below
  }
  Dataset dataset = prepare(TokenWriter(key.columns, key.vocabulary));
  dataset.cache_problem = std::move(problem);
  return dataset;
}

}  // namespace calque
