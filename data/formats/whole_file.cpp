#include "data/formats/whole_file.h"

#include "core/error.h"
#include "data/files/packed_files.h"

namespace calque {

std::string whole_file(const std::string& path) {
  const File file = open_unpacked(path);
  if (file.size() > most_file_bytes) {
    fail("{}: has {} bytes, more than {}; divide it", path, file.size(), most_file_bytes);
  }
  std::string bytes(static_cast<size_t>(file.size()), '\0');
  bytes.resize(file.read_at(0, bytes));
  return bytes;
}

}  // namespace calque
