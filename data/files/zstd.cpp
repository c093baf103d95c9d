#include "data/files/zstd.h"

#include <zstd.h>

#include <memory>
#include <vector>

#include "core/error.h"

namespace calque {

void unpack_zstd(const File& packed, File& plain) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          &ZSTD_freeDStream);
  if (!stream) fail("{}: zstd has no memory", packed.path());
  std::vector<char> input(ZSTD_DStreamInSize()), output(ZSTD_DStreamOutSize());
  int64_t read = 0;
  size_t wanted = 0;  // 0 at the end of a frame
  while (const size_t got = packed.read_at(read, input)) {
    ZSTD_inBuffer in{input.data(), got, 0};
    bool full = false;  // more output may wait
    while (in.pos < in.size || full) {
      ZSTD_outBuffer out{output.data(), output.size(), 0};
      wanted = ZSTD_decompressStream(stream.get(), &out, &in);
      if (ZSTD_isError(wanted) != 0) {
        fail("{}: damaged zstd data near byte {} ({}); copy the file again", packed.path(),
             read + static_cast<int64_t>(in.pos), ZSTD_getErrorName(wanted));
      }
      full = out.pos == out.size && wanted > 0;
      plain.append({output.data(), out.pos});
    }
    read += static_cast<int64_t>(got);
  }
  if (wanted > 0) {
    fail("{}: the zstd data ends too early, after {} bytes; the file was cut off: copy it again",
         packed.path(), read);
  }
}

}  // namespace calque
