#include "interop/tokenizers/normalization.h"

#include "data/files/protobuf.h"

namespace calque {
PieceNormalization piece_normalization(std::string_view model) {
  PieceNormalization found;
  for (ProtobufFields fields(model); fields.next();) {
    if (fields.number != 3) continue;  // ModelProto.normalizer_spec
    for (ProtobufFields own(fields.text); own.next();) {
      if (own.number == 2) found.charsmap = own.text;
      if (own.number == 3) found.dummy_prefix = own.value != 0;
      if (own.number == 4) found.removes_spaces = own.value != 0;
    }
  }
  return found;
}

}  // namespace calque
