// In place of zstd.cpp in a build without libzstd.
#include "core/error.h"
#include "data/files/zstd.h"

namespace calque {

void unpack_zstd(const File& packed, File&) {
  fail("{}: is zstd, which this build of calque cannot read; unpack it with zstd -d",
       packed.path());
}

}  // namespace calque
