#include "interop/files/npz.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "interop/files/zip.h"
#include "interop/parameters/tensor_list.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

constexpr std::string_view npy_mark("\x93NUMPY\x01\x00", 8);
constexpr size_t most_axes = 32;  // NumPy's limit

// "(3, 4)", "(3,)" or "()".
std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text = "(";
  for (const int64_t size : shape) text += fmt::format("{}, ", size);
  if (shape.size() > 1) text.resize(text.size() - 2);
  if (shape.size() == 1) text.pop_back();
  return text + ")";
}

// The header ends in a newline, and the data begin at a multiple of 64 bytes.
std::string npy_bytes(const NpyArray& array) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                   array.type, shape_text(array.shape));
  header.append(63 - (npy_mark.size() + 2 + header.size()) % 64, ' ').push_back('\n');
  std::string out(npy_mark);
  const auto length = static_cast<uint16_t>(header.size());
  out.append(reinterpret_cast<const char*>(&length), sizeof(length));
  return out + header + array.bytes;
}

// Reads what NumPy writes: the header is a Python dictionary in its standard form.
class NpyReader {
 public:
  NpyReader(std::string_view bytes, std::string name, const std::string& place)
      : bytes_(bytes), place_(place) {
    array_.name = std::move(name);
  }

  NpyArray read() {
    const size_t before = npy_mark.size() + sizeof(uint16_t);
    if (bytes_.size() < before || !bytes_.starts_with(npy_mark)) {
      refuse("is not an array of .npy version 1.0");
    }
    uint16_t length = 0;
    std::memcpy(&length, bytes_.data() + npy_mark.size(), sizeof(length));
    if (bytes_.size() - before < length) refuse("ends too early");
    const std::string_view header = bytes_.substr(before, length);
    array_.type = between(header, "'descr': '", '\'');
    if (header.find("'fortran_order': False") == header.npos) refuse("is not in row-major order");
    read_shape(between(header, "'shape': (", ')'));
    const std::string_view data = bytes_.substr(before + length);
    require_size(data.size());
    array_.bytes = data;
    return std::move(array_);
  }

 private:
  [[noreturn]] void refuse(std::string_view why) const {
    fail("{}: {} {}", place_, printable(array_.name), why);
  }

  // The text between `before` and `after`.
  std::string_view between(std::string_view text, std::string_view before, char after) const {
    const size_t begin = text.find(before);
    const size_t end = begin == text.npos ? begin : text.find(after, begin + before.size());
    if (end == text.npos) refuse("has an incomplete header");
    return text.substr(begin + before.size(), end - begin - before.size());
  }

  void read_shape(std::string_view shape) {
    for (size_t at = 0; (at = shape.find_first_of("0123456789", at)) != shape.npos;) {
      const size_t end = std::min(shape.find_first_not_of("0123456789", at), shape.size());
      if (end - at > 18) refuse("is too large");
      if (array_.shape.size() == most_axes) refuse("has too many axes");
      array_.shape.push_back(std::stoll(std::string(shape.substr(at, end - at))));
      at = end;
    }
  }

  // The type ends in the number of bytes of an element: "<f4", "|i1".
  void require_size(uint64_t size) const {
    const char last = array_.type.empty() ? '\0' : array_.type.back();
    if (array_.type.size() != 3 || last < '1' || last > '8') refuse("is of a type of unknown size");
    uint64_t expected = static_cast<uint64_t>(last - '0');
    for (const int64_t axis : array_.shape) {
      if (__builtin_mul_overflow(expected, static_cast<uint64_t>(axis), &expected)) {
        refuse("is too large");
      }
    }
    if (expected != size) {
      refuse(fmt::format("has {} bytes, but its type and shape need {}", size, expected));
    }
  }

  std::string_view bytes_;
  const std::string& place_;
  NpyArray array_;
};

}  // namespace

NpyArray npy_array(const std::string& name, const Tensor& tensor) {
  NpyArray array{.name = name};
  const auto sizes = tensor.shape().sizes();
  array.shape.assign(sizes.begin(), sizes.end());
  array.bytes = float_bytes(tensor);
  return array;
}

std::string npz_bytes(std::span<const NpyArray> arrays, const std::string& place) {
  ZipWriter archive(place);
  for (const NpyArray& array : arrays) archive.add(array.name + ".npy", npy_bytes(array));
  return archive.finish();
}

std::vector<NpyArray> parse_npz(std::string_view bytes, const std::string& place) {
  std::vector<NpyArray> arrays;
  for (const auto& [file, npy] : parse_zip(bytes, place)) {
    std::string name = file;
    if (!name.ends_with(".npy")) fail("{}: {} is not an array, .npy", place, printable(name));
    name.resize(name.size() - 4);
    arrays.push_back(NpyReader(npy, std::move(name), place).read());
  }
  return arrays;
}

}  // namespace calque
