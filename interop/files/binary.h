#pragma once
// Reads the bytes of a file from front to back: numbers (little-endian) and runs of bytes.

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "core/error.h"

namespace calque {

class BinaryReader {
 public:
  // An error names the place and ends in `ending`.
  BinaryReader(std::string_view bytes, std::string place, std::string_view ending = "")
      : rest_(bytes), size_(bytes.size()), place_(std::move(place)), ending_(ending) {}

  std::string_view rest() const { return rest_; }
  size_t offset() const { return size_ - rest_.size(); }  // of the rest
  std::string_view take(uint64_t count) {
    if (count > rest_.size()) refuse("ends too early");
    const std::string_view part = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return part;
  }
  template <class Number>
  Number number() {
    Number value;
    std::memcpy(&value, take(sizeof(value)).data(), sizeof(value));
    return value;
  }
  [[noreturn]] void refuse(std::string_view why) const { fail("{}: {}{}", place_, why, ending_); }

 private:
  std::string_view rest_;
  size_t size_;
  std::string place_;
  std::string_view ending_;
};

}  // namespace calque
