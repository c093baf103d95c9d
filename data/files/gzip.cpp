#include "data/files/gzip.h"

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/error.h"

namespace calque {
namespace {

constexpr size_t block_size = size_t{256} << 10;

class Inflater {
 public:
  explicit Inflater(const File& packed) : packed_(packed), input_(block_size), output_(block_size) {
    constexpr int gzip_only = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, gzip_only) != Z_OK) fail("{}: zlib has no memory", packed_.path());
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  void unpack_into(File& plain) {
    while (more_input()) {
      if (at_member_start_ && only_zeros_left()) return;
      at_member_start_ = unpack_some(plain);
      if (at_member_start_) inflateReset(&stream_);
    }
    if (!at_member_start_) {
      fail("{}: the gzip data ends too early, after {} bytes; the file was cut off: copy it again",
           packed_.path(), read_);
    }
  }

 private:
  // Returns false at the end of the file.
  bool more_input() {
    if (stream_.avail_in > 0) return true;
    const size_t got = packed_.read_at(read_, input_);
    read_ += static_cast<int64_t>(got);
    stream_.next_in = reinterpret_cast<const Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(got);
    return got > 0;
  }

  // Some tools pad a file with zeros after the last member.
  bool only_zeros_left() {
    if (read_ == static_cast<int64_t>(stream_.avail_in)) return false;  // the first member
    do {
      for (; stream_.avail_in > 0; ++stream_.next_in, --stream_.avail_in) {
        if (*stream_.next_in != 0) return false;
      }
    } while (more_input());
    return true;
  }

  // Inflates until the input is used up or a member ends. Returns true for the latter.
  bool unpack_some(File& plain) {
    int status = Z_OK;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(output_.data());
      stream_.avail_out = static_cast<uInt>(output_.size());
      status = inflate(&stream_, Z_NO_FLUSH);
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
        fail("{}: damaged gzip data near byte {} ({}); copy the file again", packed_.path(),
             read_ - stream_.avail_in, stream_.msg ? stream_.msg : "unknown reason");
      }
      plain.append({output_.data(), output_.size() - stream_.avail_out});
    } while (status != Z_STREAM_END && stream_.avail_out == 0);
    return status == Z_STREAM_END;
  }

  const File& packed_;
  std::vector<char> input_, output_;
  z_stream stream_{};
  int64_t read_ = 0;
  bool at_member_start_ = true;
};

}  // namespace

bool is_gzip(const File& file) {
  std::array<char, 2> magic{};
  return file.read_at(0, magic) == 2 && magic[0] == '\x1f' && magic[1] == '\x8b';
}

void unpack_gzip(const File& packed, File& plain) { Inflater(packed).unpack_into(plain); }

std::string gzip_of(std::string_view bytes) {
  constexpr int gzip_format = 16 + MAX_WBITS, usual_memory = 8;
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_format, usual_memory,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    fail("zlib has no memory");
  }
  std::string result;
  std::vector<char> output(block_size);
  size_t taken = 0;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    if (stream.avail_in == 0 && taken < bytes.size()) {  // zlib counts in 32 bits
      const size_t some = std::min(bytes.size() - taken, size_t{1} << 30);
      stream.next_in = reinterpret_cast<const Bytef*>(bytes.data() + taken);
      stream.avail_in = static_cast<uInt>(some);
      taken += some;
    }
    stream.next_out = reinterpret_cast<Bytef*>(output.data());
    stream.avail_out = static_cast<uInt>(output.size());
    status = deflate(&stream, taken == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    result.append(output.data(), output.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  return result;
}

}  // namespace calque
