#include "interop/piece_normalization.h"

#include <cstdint>

#include "core/error.h"

namespace calque {
namespace {

// The fields of a message, one after the other.
class Fields {
 public:
  explicit Fields(std::string_view message) : rest_(message) {}

  uint64_t number = 0;    // of the field
  uint64_t value = 0;     // if it is a whole number
  std::string_view text;  // if it is a string or a message

  bool next() {
    if (rest_.empty()) return false;
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

 private:
  std::string_view take(uint64_t count) {
    require(count <= rest_.size(), "piece_normalization: not a whole SentencePiece model");
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

}  // namespace

PieceNormalization piece_normalization(std::string_view model) {
  PieceNormalization found;
  for (Fields fields(model); fields.next();) {
    if (fields.number != 3) continue;  // ModelProto.normalizer_spec
    for (Fields own(fields.text); own.next();) {
      if (own.number == 2) found.charsmap = own.text;
      if (own.number == 3) found.dummy_prefix = own.value != 0;
      if (own.number == 4) found.removes_spaces = own.value != 0;
    }
  }
  return found;
}

}  // namespace calque
