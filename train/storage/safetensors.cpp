#include "train/storage/safetensors.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/error.h"
#include "core/products/compact/matrix.h"

namespace calque {
namespace {

// In bytes. Large enough to amortise the calls, small enough to stay in the cache for the digest.
constexpr size_t chunk = 1 << 18;

std::string text_of(const std::vector<int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

// Reads and digests a file from the beginning to the end.
class DigestingReader {
 public:
  explicit DigestingReader(const InputFile& file) : file_(file) {}

  void read(std::span<std::byte> bytes) {
    while (!bytes.empty()) {
      const auto part = bytes.first(std::min(chunk, bytes.size()));
      file_.read(position_, part);
      digest_.add(bytes_of(part));
      position_ += part.size();
      bytes = bytes.subspan(part.size());
    }
  }

  // Reads `count` bytes through the buffer and calls use() with each chunk.
  template <class Use>
  void read_through(uint64_t count, Use&& use) {
    buffer_.resize(chunk);
    while (count > 0) {
      const auto bytes = std::span(buffer_).first(std::min<uint64_t>(chunk, count));
      read(bytes);
      use(std::span<const std::byte>(bytes));
      count -= bytes.size();
    }
  }

  Fingerprint finish() const { return {position_, digest_.value()}; }

 private:
  const InputFile& file_;
  uint64_t position_ = 0;
  ContentHash digest_;
  std::vector<std::byte> buffer_;
};

void read_values(DigestingReader& reader, const TensorEntry& entry, std::span<real> values) {
  if (entry.type == &element_type_of_real()) {
    reader.read(std::as_writable_bytes(values));
    return;
  }
  reader.read_through(entry.end - entry.begin, [&](std::span<const std::byte> bytes) {
    const size_t count = bytes.size() / entry.type->bytes;  // chunk is a multiple of all of them
    entry.type->decode(bytes.data(), values.first(count));
    values = values.subspan(count);
  });
}

// How many rows, and how many columns, each scale of a matrix of integers is for: all of them, one,
// or 32 of one of both. Nothing if the shape of the scales is another one.
std::optional<std::pair<int64_t, int64_t>> reach_of_scales(const std::vector<int64_t>& matrix,
                                                           const std::vector<int64_t>& scales) {
  constexpr int64_t block = CompactMatrix::block;
  if (matrix.size() != 2) return std::nullopt;
  const int64_t rows = matrix[0], cols = matrix[1];
  const auto blocks = [](int64_t size) { return (size + block - 1) / block; };
  using Shape = std::vector<int64_t>;
  if (scales == Shape{rows, 1}) return std::pair(int64_t{1}, cols);
  if (scales == Shape{1, cols}) return std::pair(rows, int64_t{1});
  if (scales == Shape{blocks(rows), cols}) return std::pair(block, int64_t{1});
  if (scales == Shape{rows, blocks(cols)}) return std::pair(int64_t{1}, block);
  return std::nullopt;
}

// The shape in which a matrix is stored in a type: two integers of 4 bits share a byte.
std::vector<int64_t> stored_shape(std::vector<int64_t> matrix, const ElementType& type) {
  if (type.name == "U8" && matrix.size() == 2) matrix[1] = (matrix[1] + 1) / 2;
  return matrix;
}

// The scales of a matrix of integers with a shape, NAME.scale; nullptr if there are none.
const TensorEntry* scales_of(const TensorTable& table, const TensorEntry& entry,
                             const std::vector<int64_t>& shape) {
  if (entry.type->name != "I8" && entry.type->name != "U8") return nullptr;
  const TensorEntry* scales = table.find(entry.name + ".scale");
  const bool fit = scales && scales->type->decode &&
                   entry.shape == stored_shape(shape, *entry.type) &&
                   reach_of_scales(shape, scales->shape).has_value();
  return fit ? scales : nullptr;
}

// The scales of a matrix of integers, in memory.
struct Scales {
  std::vector<real> numbers;
  int64_t rows, cols, stride;  // what each is for; numbers in a row of scales
  bool halves;                 // whether a byte has two integers

  Scales(const InputFile& file, const TensorTable& table, const std::vector<int64_t>& shape,
         const TensorEntry& matrix, const TensorEntry& scales)
      : numbers(scales.elements), stride(scales.shape[1]), halves(matrix.type->name == "U8") {
    std::tie(rows, cols) = *reach_of_scales(shape, scales.shape);
    std::vector<std::byte> bytes(scales.end - scales.begin);
    file.read(table.data_begin + scales.begin, bytes);
    scales.type->decode(bytes.data(), numbers);
  }

  // A row of integers, multiplied.
  void decode(int64_t row, const std::byte* integers, std::span<real> to) const {
    const real* of_row = numbers.data() + row / rows * stride;
    for (size_t i = 0; i < to.size(); ++i) {
      const auto byte = std::to_integer<int>(integers[halves ? i / 2 : i]);
      const int bits = halves && i % 2 == 0 ? byte & 15 : halves ? byte >> 4 : byte;
      const int sign = halves ? 8 : 128;
      to[i] = static_cast<real>((bits ^ sign) - sign) * of_row[static_cast<int64_t>(i) / cols];
    }
  }
};

bool all_finite(std::span<const real> values) {
  constexpr real largest = std::numeric_limits<real>::max();
  unsigned beyond = 0;  // without a branch, so that the loop vectorises
  for (const real value : values) beyond |= !(std::abs(value) <= largest);
  return beyond == 0;
}

// Reads a matrix that is stored or wanted in fewer bits, some rows at a time.
void read_rows(DigestingReader& reader, const TensorEntry& entry, const Scales* scales,
               const TensorSlot& to, const std::string& path) {
  const int64_t all = to.shape[0], cols = to.shape[1];
  const int64_t row_bytes = entry.shape[1] * static_cast<int64_t>(entry.type->bytes);
  const int64_t most = std::min(CompactMatrix::block, all);
  std::vector<std::byte> bytes(static_cast<size_t>(most * row_bytes));
  std::vector<real> rows(static_cast<size_t>(to.compact ? most * cols : 0));
  for (int64_t first = 0; first < all; first += CompactMatrix::block) {
    const int64_t count = std::min(CompactMatrix::block, all - first);
    const auto size = static_cast<size_t>(count * cols);
    const auto part = std::span(bytes).first(static_cast<size_t>(count * row_bytes));
    reader.read(part);
    const auto values = to.compact ? std::span(rows).first(size)
                                   : to.values.subspan(static_cast<size_t>(first * cols), size);
    if (!scales) entry.type->decode(part.data(), values);
    for (int64_t r = 0; scales && r < count; ++r) {
      scales->decode(first + r, part.data() + r * row_bytes,
                     values.subspan(static_cast<size_t>(r * cols), static_cast<size_t>(cols)));
    }
    if (!to.compact) continue;
    if (!all_finite(values)) {
      fail("{}: {} holds a value that is infinite or not a number", path, entry.name);
    }
    to.compact->put_rows(first, count, values.data());
  }
}

const ElementType& type_of(const NamedTensor& tensor) {
  if (tensor.compact) {
    const Precision form = tensor.compact->form();
    return *find_element_type(form == Precision::q8_0   ? "I8"
                              : form == Precision::q4_0 ? "U8"
                                                        : "BF16");
  }
  return tensor.integers.empty() ? element_type_of_real() : *find_element_type("I8");
}

// Writes the numbers of a compact matrix, some rows at a time, and its scales.
void write_compact(OutputFile& file, const NamedTensor& tensor) {
  const CompactMatrix& matrix = *tensor.compact;
  const int64_t rows = tensor.shape[0], row_bytes = matrix.row_bytes();
  std::vector<std::byte> bytes(
      static_cast<size_t>(std::min(CompactMatrix::block, rows) * row_bytes));
  for (int64_t first = 0; first < rows; first += CompactMatrix::block) {
    const int64_t count = std::min(CompactMatrix::block, rows - first);
    matrix.copy_numbers(first, count, bytes.data());
    file.write(bytes_of(std::span(bytes).first(static_cast<size_t>(count * row_bytes))));
  }
  std::vector<uint16_t> halves;
  for (const real scale : matrix.scales_by_rows()) {
    halves.push_back(to_f16(static_cast<float>(scale)));
  }
  file.write(bytes_of(std::span<const uint16_t>(halves)));
}

TensorTable read_table(const InputFile& file) {
  std::array<std::byte, 8> length_bytes{};
  if (file.size() < 8)
    fail("{}: not a whole safetensors file: it has {} bytes", file.path(), file.size());
  file.read(0, length_bytes);
  std::string header(parse_header_length(length_bytes, file.size(), file.path()), '\0');
  file.read(8, std::as_writable_bytes(std::span(header)));
  return parse_header(header, file.size(), file.path());
}

}  // namespace

Fingerprint write_safetensors(FileSystem& files, const std::string& path,
                              std::span<const NamedTensor> tensors,
                              const std::map<std::string, std::string>& metadata) {
  TensorTable table{.entries = {}, .metadata = metadata};
  for (const NamedTensor& tensor : tensors) {
    const ElementType& type = type_of(tensor);
    table.entries.push_back(
        {.name = tensor.name, .type = &type, .shape = stored_shape(tensor.shape, type)});
    if (tensor.compact && tensor.compact->has_scales()) {
      table.entries.push_back({.name = tensor.name + ".scale",
                               .type = find_element_type("F16"),
                               .shape = tensor.compact->scale_shape()});
    }
  }
  const std::string header = format_header(table);
  const uint64_t values_size = table.entries.empty() ? 0 : table.entries.back().end;
  OutputFile file(files, path, header.size() + values_size);
  file.write(header);
  for (const NamedTensor& tensor : tensors) {
    if (tensor.compact) {
      write_compact(file, tensor);
      continue;
    }
    const size_t count = tensor.integers.empty() ? tensor.values.size() : tensor.integers.size();
    require(count == table.find(tensor.name)->elements,
            "write_safetensors: {} has {} values, but its shape is {}", tensor.name, count,
            text_of(tensor.shape));
    file.write(tensor.integers.empty() ? bytes_of(tensor.values) : bytes_of(tensor.integers));
  }
  return file.finish();
}

SafetensorsFile::SafetensorsFile(FileSystem& files, std::string path)
    : file_(files, std::move(path)), table_(read_table(file_)) {}

Fingerprint SafetensorsFile::read(std::span<const TensorSlot> wanted) const {
  std::unordered_map<std::string_view, const TensorSlot*> targets;
  std::unordered_map<std::string_view, Scales> scales;  // by the name of the matrix
  for (const TensorSlot& target : wanted) {
    require(targets.emplace(target.name, &target).second, "SafetensorsFile: {} is wanted twice",
            target.name);
    const TensorEntry* entry = table_.find(target.name);
    const TensorEntry* const found = entry ? scales_of(table_, *entry, target.shape) : nullptr;
    require(entry && (found || entry->shape == target.shape) &&
                (target.compact || target.values.size() == elements_of(target.shape)),
            "SafetensorsFile: {} is not in {} with the shape {}", target.name, file_.path(),
            text_of(target.shape));
    if (found) {
      scales.emplace(target.name, Scales(file_, table_, target.shape, *entry, *found));
    } else if (!entry->type->decode) {
      fail("{}: the values of {} are {}, not floating-point numbers", file_.path(), target.name,
           entry->type->name);
    }
  }
  DigestingReader reader(file_);
  const auto ignore = [](std::span<const std::byte>) {};
  reader.read_through(table_.data_begin, ignore);
  for (const TensorEntry& entry : table_.entries) {
    const auto target = targets.find(entry.name);
    const auto found = scales.find(entry.name);
    if (target == targets.end()) {
      reader.read_through(entry.end - entry.begin, ignore);
    } else if (target->second->compact || found != scales.end()) {
      read_rows(reader, entry, found == scales.end() ? nullptr : &found->second, *target->second,
                file_.path());
    } else {
      read_values(reader, entry, target->second->values);
    }
  }
  return reader.finish();
}

Precision stored_precision(const TensorTable& table) {
  const auto in_halves = [&](const TensorEntry& entry) {
    return entry.type->name == "U8" && table.find(entry.name + ".scale");
  };
  if (std::ranges::any_of(table.entries, in_halves)) return Precision::q4_0;
  Precision form = Precision::full;
  for (const TensorEntry& entry : table.entries) {
    if (entry.shape.size() != 2) continue;
    if (const TensorEntry* scales = scales_of(table, entry, entry.shape)) {
      const auto reach = *reach_of_scales(entry.shape, scales->shape);
      const bool whole = reach.first == entry.shape[0] || reach.second == entry.shape[1];
      return whole ? Precision::int8 : Precision::q8_0;
    }
    if (entry.type->name == "BF16") form = Precision::bfloat16;
  }
  return form;
}

std::optional<std::string> mismatch(const TensorTable& table, const TensorSlot& wanted) {
  const TensorEntry* entry = table.find(wanted.name);
  if (entry == nullptr) return fmt::format("{} is missing", wanted.name);
  if (scales_of(table, *entry, wanted.shape)) return std::nullopt;
  if (entry->shape != wanted.shape) {
    return fmt::format("{} is {}, but {} is needed", wanted.name, text_of(entry->shape),
                       text_of(wanted.shape));
  }
  if (entry->type->decode) return std::nullopt;
  return fmt::format("{} is of type {}", wanted.name, entry->type->name);
}

std::vector<std::string> differences(const TensorTable& table, std::span<const TensorSlot> wanted,
                                     size_t limit) {
  std::vector<std::string> found;
  std::unordered_set<std::string_view> unclaimed;
  for (const TensorEntry& entry : table.entries) unclaimed.insert(entry.name);
  for (const TensorSlot& slot : wanted) {
    if (auto problem = mismatch(table, slot)) found.push_back(std::move(*problem));
    unclaimed.erase(slot.name);
    const TensorEntry* entry = table.find(slot.name);
    if (const TensorEntry* scales = entry ? scales_of(table, *entry, slot.shape) : nullptr) {
      unclaimed.erase(scales->name);
    }
  }
  for (const TensorEntry& entry : table.entries) {
    if (unclaimed.contains(entry.name)) found.push_back(printable(entry.name) + " is not needed");
  }
  if (found.size() > limit) {
    const size_t more = found.size() - (limit - 1);
    found.resize(limit - 1);
    found.push_back(fmt::format("and {} more differences", more));
  }
  return found;
}

namespace {

template <class Tensor>
std::optional<std::string> not_finite_in(std::span<const Tensor> tensors) {
  for (const Tensor& tensor : tensors) {
    if (!all_finite(tensor.values)) return tensor.name;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> first_not_finite(std::span<const NamedTensor> tensors) {
  return not_finite_in(tensors);
}

std::optional<std::string> first_not_finite(std::span<const TensorSlot> tensors) {
  return not_finite_in(tensors);
}

}  // namespace calque
