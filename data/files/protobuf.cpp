#include "data/files/protobuf.h"

#include <cstring>

namespace calque {

bool ProtobufFields::next() {
  if (broken_ || rest_.empty()) return false;
  const char* const begin = rest_.data();
  broken_ = !read_field();
  bytes = {begin, static_cast<size_t>(rest_.data() - begin)};
  return !broken_;
}

bool ProtobufFields::read_field() {
  uint64_t tag = 0, size = 0;
  if (!read_varint(tag) || tag >> 3 == 0 || tag >> 32 != 0) return false;
  number = tag >> 3;
  wire_ = tag & 7;
  if (wire_ == 0) return read_varint(value);
  if (wire_ == 2 && !read_varint(size)) return false;
  if (wire_ == 1) size = 8;
  if (wire_ == 5) size = 4;
  if (size > rest_.size() || wire_ == 3 || wire_ == 4 || wire_ > 5) return false;
  text = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return true;
}

bool ProtobufFields::read_varint(uint64_t& out) {
  out = 0;
  for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    out |= uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

float ProtobufFields::real() const {
  float out = 0;
  std::memcpy(&out, text.data(), sizeof out);
  return out;
}

}  // namespace calque
