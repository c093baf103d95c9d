#pragma once
// Makes gzip data for tests.

#define ZLIB_CONST
#include <zlib.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace calque {

inline std::string gzip_bytes(std::string_view text) {
  z_stream stream{};
  constexpr int gzip_format = 16 + MAX_WBITS;
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, gzip_format, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("deflateInit2");
  }
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<const Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = deflate(&stream, Z_FINISH);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("deflate");
  packed.resize(packed.size() - stream.avail_out);
  return packed;
}

}  // namespace calque
