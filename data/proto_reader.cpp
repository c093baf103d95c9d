#include "data/proto_reader.h"

#include <cstring>

namespace calque {

bool ProtoReader::next() {
  if (broken_ || rest_.empty()) return false;
  uint64_t tag = 0;
  broken_ = !read_number(tag) || tag >> 3 == 0 || tag >> 32 != 0;
  if (broken_) return false;
  field_ = tag >> 3;
  wire_ = tag & 7;
  broken_ = !read_value();
  return !broken_;
}

bool ProtoReader::read_value() {
  uint64_t size = 0;
  if (wire_ == 0) return read_number(number_);
  if (wire_ == 2 && !read_number(size)) return false;
  if (wire_ == 1) size = 8;
  if (wire_ == 5) size = 4;
  if (size > rest_.size() || wire_ == 3 || wire_ == 4 || wire_ > 5) return false;
  bytes_ = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return true;
}

bool ProtoReader::read_number(uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

float ProtoReader::real() const {
  float value = 0;
  std::memcpy(&value, bytes_.data(), sizeof value);
  return value;
}

}  // namespace calque
