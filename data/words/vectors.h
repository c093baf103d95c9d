#pragma once
// Pretrained word vectors, read from front to back, so that a file may be larger than the memory:
//   word2vec text, fastText .vec   a line "V D", then V lines of a word and D numbers
//   GloVe text                     such lines of a word and numbers, without a header
//   word2vec binary                a line "V D", then V times a word, a space and D floats of 4
//                                  bytes, little-endian; a LF between two vectors may be missing
// Text may be gzip. The D fields at the end of a line are the numbers and the rest is the word, so
// a word may contain spaces (but not a number after the last one); blanks at the end of a line are
// ignored. The same word may occur again.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "data/files/file.h"

namespace calque {

class WordVectorFile {
 public:
  // Reads the header and the first vector. Throws an Error for a file that cannot be read or has
  // none of these formats.
  explicit WordVectorFile(const std::string& path);

  int64_t dimension() const { return dimension_; }

  // Calls visit(word, vector) for each vector, in order; both are valid during the call. Throws an
  // Error that names the line, or the vector of a binary file, if it is malformed or has a number
  // that is not finite, and if the number of vectors differs from the header's.
  using Visit = std::function<void(std::string_view word, std::span<const float> vector)>;
  void read(const Visit& visit) const;

 private:
  void read_text(const Visit& visit) const;
  void read_binary(const Visit& visit) const;

  std::string path_;
  File file_;
  int64_t words_ = -1;  // given by the header; -1: no header
  int64_t dimension_ = 0;
  int64_t begin_ = 0;  // offset of the first vector
  bool binary_ = false;
};

}  // namespace calque
