#pragma once
// Reads the fields of a serialized protocol buffer that has been checked
// (data/tokenizers/piece_model_check.h), one after the other, and writes fields.

#include <cstdint>
#include <string>
#include <string_view>

#include "core/error.h"

namespace calque {

class ProtobufFields {
 public:
  explicit ProtobufFields(std::string_view message) : rest_(message) {}

  uint64_t number = 0;     // of the field
  uint64_t value = 0;      // if it is a whole number
  std::string_view text;   // if it is a string or a message
  std::string_view bytes;  // of the whole field

  bool next() {
    if (rest_.empty()) return false;
    const char* const begin = rest_.data();
    const bool read = read_field();
    bytes = {begin, static_cast<size_t>(rest_.data() - begin)};
    return read;
  }

 private:
  bool read_field() {
    const uint64_t key = varint();
    number = key >> 3;
    switch (key & 7) {
      case 0:
        value = varint();
        return true;
      case 1:
        take(8);
        return true;
      case 5:
        take(4);
        return true;
      default:
        text = take(varint());
        return true;
    }
  }

  std::string_view take(uint64_t count) {
    require(count <= rest_.size(), "ProtobufFields: not a whole message");
    const std::string_view part = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return part;
  }
  uint64_t varint() {
    uint64_t result = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      result |= uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) break;
    }
    return result;
  }

  std::string_view rest_;
};

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
