#pragma once
// Walks over the fields of a serialised protocol buffer without believing any of its lengths:
// enough to inspect a SentencePiece model before the library sees it.

#include <cstdint>
#include <string_view>

namespace calque {

class ProtoReader {
 public:
  explicit ProtoReader(std::string_view bytes) : rest_(bytes) {}

  // The next field, if there is one. False at the end, and for good at the first broken byte.
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
