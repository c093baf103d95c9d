#pragma once
// Zip archives whose files are stored without compression: the container of .npz files and of
// PyTorch's pytorch_model.bin. The directory at the end of an archive lists the offset of each
// file. Archives of more than 4 GB have 64-bit sizes and offsets in addition (zip64).

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace calque {

struct ZipFile {
  std::string name;
  std::string_view bytes;
};

// The files in the order of the directory; their bytes are views of the archive. Throws an Error
// that names the place if the bytes are no archive, a file is compressed, encrypted or damaged, or
// two have one name.
std::vector<ZipFile> parse_zip(std::string_view archive, const std::string& place);

// Writes an archive, dated 1 January 1980.
class ZipWriter {
 public:
  explicit ZipWriter(std::string place) : place_(std::move(place)) {}

  // Throws an Error above the limits of an archive without zip64: 4 GB and 65534 files.
  void add(std::string_view name, std::string_view bytes);
  std::string finish();  // the archive

 private:
  std::string place_, archive_, directory_;
  uint16_t files_ = 0;
};

}  // namespace calque
