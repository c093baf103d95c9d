#pragma once
// The ids of all examples of a dataset, for random access. An example is a number of columns of
// ids: the two sides of a pair, or the one text of a document. The index (12 bytes an example and 4
// a column) is in memory; the ids, 2 or 4 bytes each by the size of the vocabulary, are in memory
// too or in a file, from which an example is one read.

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

using Example = std::vector<std::vector<int32_t>>;  // the ids of each column, without <s> and </s>

inline constexpr int most_columns = 64;

class TokenStore {
 public:
  int columns() const { return columns_; }
  int64_t count() const { return static_cast<int64_t>(lines_.size()); }
  int64_t tokens() const { return tokens_; }
  int64_t length(int64_t example, int column) const {
    return lengths_[static_cast<size_t>(example * columns_ + column)];
  }
  // The number of the example in its corpora, where dropped ones are counted.
  int64_t line(int64_t example) const { return lines_[static_cast<size_t>(example)]; }

  void read(int64_t example, Example& out) const;
  // `count` ids of one column, from `begin` on.
  void read_slice(int64_t example, int column, int64_t begin, int64_t count,
                  std::vector<int32_t>& out) const;

 private:
  friend class TokenWriter;
  friend class TokenFileReader;

  // Calls use(bytes) with the stored bytes of `count` ids; `begin` counts all ids before them.
  template <class Use>
  void with_ids(int64_t begin, int64_t count, const Use& use) const;

  int columns_ = 0;
  int id_size_ = 4;
  int64_t tokens_ = 0;
  std::vector<uint64_t> begins_;   // [examples]  ids before the first one of an example
  std::vector<uint32_t> lengths_;  // [examples, columns]
  std::vector<uint32_t> lines_;    // [examples]
  std::optional<File> file_;       // of the ids; none: ids_ has them
  int64_t ids_begin_ = 0;          // in the file
  std::vector<char> ids_;
};

// Writes a store example by example: in memory, or as a file that appears as a whole in finish()
// and that load_token_file() recognises. `key` stands for everything that decided the content.
class TokenWriter {
 public:
  TokenWriter(int columns, int32_t vocabulary);
  TokenWriter(int columns, int32_t vocabulary, const std::string& path, uint64_t key);

  void append(std::span<const std::span<const int32_t>> example, int64_t line);

  // `notes` belong to the caller; load_token_file() returns them.
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

// Nothing if there is no such file, or it has another key or number of columns, or any byte of it
// differs from what was written, or an id is not below `vocabulary`.
std::optional<LoadedTokens> load_token_file(const std::string& path, uint64_t key, int columns,
                                            int32_t vocabulary);

}  // namespace calque
