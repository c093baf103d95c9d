#include "interop/npz.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cstring>
#include <limits>

#include "core/error.h"

namespace calque {
namespace {

constexpr uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50;
constexpr std::string_view npy_mark("\x93NUMPY\x01\x00", 8);

template <class... Numbers>
void append(std::string& out, Numbers... numbers) {
  (out.append(reinterpret_cast<const char*>(&numbers), sizeof(numbers)), ...);
}

uint32_t checksum(std::string_view bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// "(3, 4)", "(3,)" or "()".
std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text = "(";
  for (const int64_t size : shape) text += fmt::format("{}, ", size);
  if (shape.size() > 1) text.resize(text.size() - 2);
  if (shape.size() == 1) text.pop_back();
  return text + ")";
}

// The header ends in a line end, and data begins at a multiple of 64.
std::string npy_bytes(const NpyArray& array) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                   array.type, shape_text(array.shape));
  header.append(63 - (npy_mark.size() + 2 + header.size()) % 64, ' ').push_back('\n');
  std::string out(npy_mark);
  append(out, static_cast<uint16_t>(header.size()));
  return out + header + array.bytes;
}

// What the local and the central header of a file share: version 2.0, stored, 1 January 1980.
void append_description(std::string& out, uint32_t crc, uint32_t size, std::string_view name) {
  append(out, uint16_t{20}, uint16_t{0}, uint16_t{0}, uint16_t{0}, uint16_t{0x21}, crc, size, size,
         static_cast<uint16_t>(name.size()), uint16_t{0});
}

class NpyReader {
 public:
  NpyReader(std::string_view bytes, const std::string& place) : rest_(bytes), place_(place) {}

  std::string_view take(size_t count) {
    if (count > rest_.size()) refuse("ends too early");
    const std::string_view part = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return part;
  }
  template <class Number>
  Number number() {
    Number value;
    std::memcpy(&value, take(sizeof(value)).data(), sizeof(value));
    return value;
  }
  bool starts_with(uint32_t mark) const {
    return rest_.starts_with(std::string_view(reinterpret_cast<const char*>(&mark), sizeof(mark)));
  }
  [[noreturn]] void refuse(std::string_view why) const {
    fail("{}: {}; it is not a whole .npz file", place_, why);
  }

 private:
  std::string_view rest_;
  const std::string& place_;
};

// The text between `before` and `after`.
std::string_view between(std::string_view text, std::string_view before, char after,
                         const NpyReader& in) {
  const size_t begin = text.find(before);
  const size_t end = begin == text.npos ? begin : text.find(after, begin + before.size());
  if (end == text.npos) in.refuse("has an array without its description");
  return text.substr(begin + before.size(), end - begin - before.size());
}

NpyArray parse_npy(std::string_view bytes, std::string name, const std::string& place) {
  NpyReader in(bytes, place);
  if (in.take(npy_mark.size()) != npy_mark) in.refuse("has a file that is no array");
  const auto length = in.number<uint16_t>();
  const std::string_view header = in.take(length);
  NpyArray array{.name = std::move(name)};
  array.type = between(header, "'descr': '", '\'', in);
  const std::string_view shape = between(header, "'shape': (", ')', in);
  for (size_t at = 0; (at = shape.find_first_of("0123456789", at)) != shape.npos;) {
    const size_t end = std::min(shape.find_first_not_of("0123456789", at), shape.size());
    if (end - at > 18) in.refuse("has an array that is too large");
    array.shape.push_back(std::stoll(std::string(shape.substr(at, end - at))));
    at = end;
  }
  array.bytes = bytes.substr(npy_mark.size() + 2 + length);
  return array;
}

}  // namespace

NpyArray npy_array(const std::string& name, const Tensor& tensor) {
  NpyArray array{.name = name};
  const auto sizes = tensor.shape().sizes();
  array.shape.assign(sizes.begin(), sizes.end());
  array.bytes.reserve(tensor.span().size() * sizeof(float));
  for (const real value : tensor.span()) append(array.bytes, static_cast<float>(value));
  return array;
}

std::string npz_bytes(std::span<const NpyArray> arrays, const std::string& place) {
  std::string out, directory;
  for (const NpyArray& array : arrays) {
    const std::string data = npy_bytes(array), name = array.name + ".npy";
    const uint32_t crc = checksum(data);
    const auto offset = static_cast<uint32_t>(out.size()),
               size = static_cast<uint32_t>(data.size());
    append(out, local_mark);
    append_description(out, crc, size, name);
    out += name + data;
    if (out.size() > std::numeric_limits<uint32_t>::max()) {
      fail("{}: the model has more than the 4 GB that an .npz file holds; use safetensors", place);
    }
    append(directory, central_mark, uint16_t{20});
    append_description(directory, crc, size, name);
    append(directory, uint16_t{0}, uint16_t{0}, uint16_t{0}, uint32_t{0}, offset);
    directory += name;
  }
  const auto count = static_cast<uint16_t>(arrays.size());
  const auto offset = static_cast<uint32_t>(out.size());
  out += directory;
  append(out, end_mark, uint16_t{0}, uint16_t{0}, count, count,
         static_cast<uint32_t>(directory.size()), offset, uint16_t{0});
  return out;
}

std::vector<NpyArray> parse_npz(std::string_view bytes, const std::string& place) {
  NpyReader in(bytes, place);
  std::vector<NpyArray> arrays;
  while (in.starts_with(local_mark)) {
    in.take(14);
    const auto crc = in.number<uint32_t>(), size = in.number<uint32_t>();
    in.take(4);
    const auto name_length = in.number<uint16_t>(), extra = in.number<uint16_t>();
    std::string name(in.take(name_length));
    in.take(extra);
    const std::string_view data = in.take(size);
    if (checksum(data) != crc) in.refuse(fmt::format("{} is damaged", name));
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    arrays.push_back(parse_npy(data, std::move(name), place));
  }
  if (!in.starts_with(central_mark) && !in.starts_with(end_mark)) in.refuse("has no directory");
  return arrays;
}

}  // namespace calque
