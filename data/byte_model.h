#pragma once
// The tokenizer that needs no training: a token is a byte, id 3 + byte, after the three special
// symbols. Every text can be encoded; its vocabulary file is 259 lines that never differ.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/vocabulary.h"

namespace calque {

class ByteModel {
 public:
  static constexpr int32_t vocabulary_size = special_ids + 256;
  static constexpr int32_t id_of(unsigned char byte) { return special_ids + byte; }

  // Throws an Error if the file is not the vocabulary of bytes.
  static ByteModel load(const std::string& path);

  // "<0x0A>" for the id of the byte 10.
  static std::string symbol(int32_t id);
  // <unk>, <s>, </s>, <0x00> ... <0xFF>
  static Vocabulary vocabulary();

  void encode(std::string_view text, std::vector<int32_t>& out) const;
  // <unk> and each byte that begins no well-formed character become U+FFFD.
  std::string decode(std::span<const int32_t> ids) const;
};

}  // namespace calque
