#pragma once
// SentencePiece models made by hand, byte by byte.

#include <cstdint>
#include <cstring>
#include <string>

namespace calque {

// The parts of the wire format of protocol buffers that a model needs.
inline std::string number(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
inline std::string field(uint64_t id, const std::string& bytes) {
  return number(id << 3 | 2) + number(bytes.size()) + bytes;
}
inline std::string field(uint64_t id, uint64_t value) { return number(id << 3) + number(value); }
inline std::string field(uint64_t id, float value) {
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &value, 4);
  return number(id << 3 | 5) + bytes;
}

inline std::string piece(const std::string& text, uint64_t type = 1, float score = -1) {
  return field(1, field(1, text) + field(2, score) + field(3, type));
}

enum PieceType : uint64_t { unknown = 2, control = 3, user_defined = 4, byte = 6 };

inline std::string model_of(const std::string& pieces, const std::string& rest = "") {
  return piece("<unk>", unknown) + piece("<s>", control) + piece("</s>", control) + pieces + rest;
}

inline std::string bpe() { return field(2, field(3, uint64_t{2})); }

}  // namespace calque
