#pragma once
// Reads the fields of a serialized protocol buffer and checks every length. It covers what the
// check of a SentencePiece model needs.

#include <cstdint>
#include <string_view>

namespace calque {

class ProtoReader {
 public:
  explicit ProtoReader(std::string_view bytes) : rest_(bytes) {}

  // Moves to the next field. Returns false at the end and from the first broken byte on.
  bool next();
  bool broken() const { return broken_; }

  uint64_t field() const { return field_; }
  bool is_number() const { return wire_ == 0; }
  bool is_bytes() const { return wire_ == 2; }
  bool is_float() const { return wire_ == 5; }
  uint64_t number() const { return number_; }
  std::string_view bytes() const { return bytes_; }
  float real() const;

 private:
  bool read_number(uint64_t& value);
  bool read_value();

  std::string_view rest_;
  bool broken_ = false;
  uint64_t field_ = 0, wire_ = 0, number_ = 0;
  std::string_view bytes_;
};

}  // namespace calque
