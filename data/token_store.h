#pragma once
// The ids of all pairs of a dataset, for reading in any order. The index (16 bytes a pair) is in
// memory; the ids, 2 or 4 bytes each by the size of the vocabulary, are in memory too or in a file,
// from which a pair is one read.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/content_hash.h"
#include "data/file.h"

namespace calque {

struct TokenPair {
  std::vector<int32_t> source, target;  // without <s> and </s>
};

// One entry of the index. A pair's source and target ids lie one after the other.
struct TokenEntry {
  uint64_t begin : 40;  // the first id, counting all ids before it
  uint64_t source_length : 24;
  uint32_t target_length;
  uint32_t line;  // the pair's number in its corpora, dropped ones counted
};
static_assert(sizeof(TokenEntry) == 16);

class TokenStore {
 public:
  int64_t count() const { return static_cast<int64_t>(index_.size()); }
  int32_t source_length(int64_t pair) const {
    return static_cast<int32_t>(index_[pair].source_length);
  }
  int32_t target_length(int64_t pair) const {
    return static_cast<int32_t>(index_[pair].target_length);
  }
  int64_t line(int64_t pair) const { return index_[pair].line; }

  void read(int64_t pair, TokenPair& out) const;

 private:
  friend class TokenWriter;
  friend class TokenFileReader;

  int id_size_ = 4;
  int64_t tokens_ = 0;
  std::vector<TokenEntry> index_;
  std::optional<File> file_;  // of the ids; none: they are here
  int64_t ids_begin_ = 0;     // in the file
  std::vector<char> ids_;
};

// Makes a store pair by pair: in memory, or as a file that comes into being as a whole in finish()
// and that load_token_file() finds again. `key` stands for everything that went into it.
class TokenWriter {
 public:
  explicit TokenWriter(int32_t vocabulary);
  TokenWriter(int32_t vocabulary, const std::string& path, uint64_t key);

  void append(std::span<const int32_t> source, std::span<const int32_t> target, int64_t line);

  // `notes` are the caller's, and come back from load_token_file().
  TokenStore finish(std::string_view notes);

 private:
  void put(std::span<const int32_t> ids);
  void flush();
  void write(std::string_view bytes);

  TokenStore store_;
  std::unique_ptr<NewFile> file_;
  std::string path_;
  uint64_t key_ = 0;
  ContentHash digest_;
};

struct LoadedTokens {
  TokenStore store;
  std::string notes;
};

// Nothing if there is no such file, or it has another key, or not every byte of it is what was
// written, or an id is not below `vocabulary`: then it is to be made anew.
std::optional<LoadedTokens> load_token_file(const std::string& path, uint64_t key,
                                            int32_t vocabulary);

}  // namespace calque
