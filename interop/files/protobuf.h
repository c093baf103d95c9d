#pragma once
// Writes the fields of a protocol buffer; data/files/protobuf.h reads them.

#include <cstdint>
#include <string>
#include <string_view>

namespace calque {

inline std::string protobuf_varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7F) | 0x80);
  return out += static_cast<char>(value);
}
inline std::string protobuf_number(uint64_t field, uint64_t value) {
  return protobuf_varint(field << 3) + protobuf_varint(value);
}
inline std::string protobuf_float(uint64_t field, float value) {
  return protobuf_varint(field << 3 | 5) +
         std::string(reinterpret_cast<const char*>(&value), sizeof value);
}
inline std::string protobuf_text(uint64_t field, std::string_view text) {
  return protobuf_varint(field << 3 | 2) + protobuf_varint(text.size()) + std::string(text);
}

}  // namespace calque
