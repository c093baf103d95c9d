#pragma once
// Random access to the ids of all examples of a dataset. An example has one or more columns of ids:
// the two sides of a pair, or the text of a document. The index is in memory (12 bytes per example
// and 4 per column of an example); the ids are in memory or in a file (2 or 4 bytes each, by the
// size of the vocabulary).

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/content_hash.h"
#include "data/files/file.h"

namespace calque {

// The numbers of each column; in a TokenStore, ids without <s> and </s>.
using Example = std::vector<std::vector<int32_t>>;

inline constexpr int most_columns = 64;

class TokenStore {
 public:
  int columns() const { return columns_; }
  int64_t count() const { return std::ssize(lines_); }
  int64_t tokens() const { return tokens_; }
  int64_t tokens_in_column(int column) const;
  int64_t length(int64_t example, int column) const {
    return lengths_[example * columns_ + column];
  }
  // The line of the example in its corpora; dropped examples have lines too.
  int64_t line(int64_t example) const { return lines_[example]; }

  void read(int64_t example, Example& out) const;
  // `count` ids of one column, from `begin` on.
  void read_slice(int64_t example, int column, int64_t begin, int64_t count,
                  std::vector<int32_t>& out) const;

 private:
  friend class TokenWriter;
  friend class TokenFileReader;

  // Calls use(bytes) with the stored bytes of ids [begin, begin + count).
  template <class Use>
  void with_ids(int64_t begin, int64_t count, const Use& use) const;

  int columns_ = 0;
  int id_size_ = 4;
  int64_t tokens_ = 0;
  std::vector<uint64_t> begins_;   // [examples]  index of the first id
  std::vector<uint32_t> lengths_;  // [examples, columns]
  std::vector<uint32_t> lines_;    // [examples]
  std::optional<File> file_;       // holds the ids, unless they are in ids_
  int64_t ids_begin_ = 0;          // in the file
  std::vector<char> ids_;
};

// Builds a store example by example, in memory or in a file that appears in finish(). `key` is a
// hash of everything that decides the content.
class TokenWriter {
 public:
  TokenWriter(int columns, int32_t vocabulary);
  TokenWriter(int columns, int32_t vocabulary, const std::string& path, uint64_t key);

  void append(std::span<const std::span<const int32_t>> example, int64_t line);

  // `notes` is any text of the caller; load_token_file() returns it.
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

// Returns nothing if there is no such file, if it has another key or number of columns, if it is
// damaged, or if an id is not below `vocabulary`.
std::optional<LoadedTokens> load_token_file(const std::string& path, uint64_t key, int columns,
                                            int32_t vocabulary);

}  // namespace calque
