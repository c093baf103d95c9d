#include "data/files/packed_files.h"

#include "data/files/gzip.h"
#include "data/files/zstd.h"

namespace calque {

File open_unpacked(const std::string& path) {
  File file = File::open(path);
  const bool gzip = is_gzip(file);
  if (!gzip && !is_zstd(file)) return file;
  File plain = File::temporary("unpacking " + path + " (set TMPDIR to a folder with more space)");
  (gzip ? unpack_gzip : unpack_zstd)(file, plain);
  return plain;
}

}  // namespace calque
