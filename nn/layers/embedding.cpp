#include "nn/layers/embedding.h"

namespace calque {

std::vector<int32_t> decoder_reads(DecoderStart start, std::span<const int32_t> ids,
                                   const Segments& segments, std::span<const int32_t> starts) {
  std::vector<int32_t> read(ids.begin(), ids.end());
  if (start == DecoderStart::bos) return read;
  for (int64_t i = 0; i < segments.count(); ++i) {
    const bool first = starts.empty() || starts[i] == 0;
    if (first && segments.length(i) > 0) read[segments.begin(i)] = no_token;
  }
  return read;
}

}  // namespace calque
