// The IDX format: a magic number, with the type of the numbers and the count of axes, the length of
// each axis as a big-endian 32-bit number, and then the numbers.
#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "core/error.h"
#include "data/files/file.h"
#include "data/files/packed_files.h"
#include "data/images/images.h"

namespace calque {
namespace {

constexpr size_t magic_size = 4;

uint32_t big_endian(const char* at) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(at[i]);
  return value;
}

struct IdxFile {
  std::vector<int64_t> lengths;  // of each axis
  std::vector<uint8_t> numbers;
};

IdxFile read_idx_file(const std::string& path, int axes, const char* what) {
  File file = open_unpacked(path);
  const size_t header_size = magic_size * (1 + static_cast<size_t>(axes));
  std::vector<char> header(header_size);
  const size_t got = file.read_at(0, header);
  const uint32_t magic = 0x800 + static_cast<uint32_t>(axes);  // unsigned bytes
  if (got == 0) fail("{}: the file is empty", path);
  if (got < magic_size || big_endian(header.data()) != magic) {
    fail("{}: is not an IDX file of {} (it must begin with the bytes 0 0 8 {})", path, what, axes);
  }
  if (got < header_size) fail("{}: the header ends after {} of {} bytes", path, got, header_size);
  IdxFile idx;
  int64_t size = 1;
  for (int axis = 0; axis < axes; ++axis) {
    const int64_t length = big_endian(header.data() + magic_size * (1 + static_cast<size_t>(axis)));
    if (length == 0 || (axis > 0 && length > largest_image_side)) {
      fail("{}: the length of axis {} is {}; it must be {}", path, axis + 1, length,
           axis == 0 ? "1 or more" : fmt::format("1 to {}", largest_image_side));
    }
    idx.lengths.push_back(length);
    size *= length;
  }
  const int64_t actual = file.size() - static_cast<int64_t>(header_size);
  if (actual != size) {
    fail("{}: has {} bytes after the header, but the header requires {}; copy the file again", path,
         actual, size);
  }
  idx.numbers.resize(static_cast<size_t>(size));
  file.read_at(static_cast<int64_t>(header_size),
               {reinterpret_cast<char*>(idx.numbers.data()), idx.numbers.size()});
  return idx;
}

}  // namespace

ImageSet read_idx(const std::string& images, const std::string& labels) {
  IdxFile pixels = read_idx_file(images, 3, "images");
  const IdxFile classes = read_idx_file(labels, 1, "labels");
  if (pixels.lengths[0] != classes.lengths[0]) {
    fail("{}: has {} labels, but {} has {} images", labels, classes.lengths[0], images,
         pixels.lengths[0]);
  }
  ImageSet set{{pixels.lengths[1], pixels.lengths[2], 1}, std::move(pixels.numbers), {}, {}};
  for (const uint8_t label : classes.numbers) set.labels.push_back(std::to_string(label));
  return set;
}

std::string idx_labels_beside(const std::string& images) {
  const std::filesystem::path path(images);
  std::string name = path.filename().string();
  const std::string from = "images-idx3", to = "labels-idx1";
  const size_t place = name.find(from);
  if (place == name.npos) return "";
  name.replace(place, from.size(), to);
  return (path.parent_path() / name).string();
}

}  // namespace calque
