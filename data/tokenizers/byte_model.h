#pragma once
// Bytes as tokens: the id of a byte is 3 + byte, after the three special symbols. It needs no
// training and encodes every text.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/tokenizers/vocabulary.h"

namespace calque {

// The bytes as UTF-8, with U+FFFD for each byte that begins no well-formed character.
std::string repaired(std::string_view bytes);

class ByteModel {
 public:
  static constexpr int32_t vocabulary_size = special_ids + 256;
  static constexpr int32_t id_of(unsigned char byte) { return special_ids + byte; }

  // Throws an Error if the file is not the vocabulary of bytes.
  static ByteModel load(const std::string& path);

  int32_t size() const { return vocabulary_size; }
  // "<0x0A>" for the id of the byte 10.
  std::string symbol(int32_t id) const;
  std::string spelling(int32_t id) const { return {static_cast<char>(id - special_ids)}; }
  std::optional<int32_t> newline_id() const { return id_of('\n'); }

  void encode(std::string_view text, std::vector<int32_t>& out) const;
  void encode_line(std::string_view line, std::vector<int32_t>& out) const { encode(line, out); }
  // <unk> and each byte that begins no well-formed character become U+FFFD.
  std::string decode(std::span<const int32_t> ids) const;
  std::string decode_document(std::span<const int32_t> ids) const { return decode(ids); }
  std::string normalize(std::string_view text) const { return std::string(text); }
};

}  // namespace calque
