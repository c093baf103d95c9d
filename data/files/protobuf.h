#pragma once
// Reads the fields of a serialized protocol buffer, one after the other, and checks every length.

#include <cstdint>
#include <string_view>

namespace calque {

class ProtobufFields {
 public:
  explicit ProtobufFields(std::string_view message) : rest_(message) {}

  // Moves to the next field. Returns false at the end and from the first broken byte on.
  bool next();
  bool broken() const { return broken_; }

  uint64_t number = 0;     // of the field
  uint64_t value = 0;      // if it is a whole number
  std::string_view text;   // if it is a string or a message
  std::string_view bytes;  // of the whole field

  bool is_number() const { return wire_ == 0; }
  bool is_text() const { return wire_ == 2; }
  bool is_float() const { return wire_ == 5; }
  float real() const;

 private:
  bool read_field();
  bool read_varint(uint64_t& out);

  std::string_view rest_;
  uint64_t wire_ = 0;
  bool broken_ = false;
};

}  // namespace calque
