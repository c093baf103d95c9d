#include "train/storage/safetensors.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"

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

// The scales of a matrix of integers, NAME.scale; nullptr if there are none.
const TensorEntry* scales_of(const TensorTable& table, const TensorEntry& entry) {
  if (entry.type->name != "I8" || entry.shape.size() != 2) return nullptr;
  const TensorEntry* scales = table.find(entry.name + ".scale");
  const bool fit = scales && scales->type->decode &&
                   (scales->shape == std::vector<int64_t>{entry.shape[0], 1} ||
                    scales->shape == std::vector<int64_t>{1, entry.shape[1]});
  return fit ? scales : nullptr;
}

// A matrix of integers that is being read, and its scales.
struct ScaledMatrix {
  std::span<real> values;
  int64_t cols;
  bool by_rows;
  std::vector<real> scales;

  void apply() const {
    for (size_t i = 0; i < values.size(); ++i) {
      const auto row = i / static_cast<size_t>(cols), col = i % static_cast<size_t>(cols);
      values[i] *= scales[by_rows ? row : col];
    }
  }
};

void read_integers(DigestingReader& reader, const TensorEntry& entry, std::span<real> values) {
  reader.read_through(entry.end - entry.begin, [&](std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) {
      values.front() = static_cast<real>(static_cast<int8_t>(byte));
      values = values.subspan(1);
    }
  });
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
    const ElementType& type =
        tensor.integers.empty() ? element_type_of_real() : *find_element_type("I8");
    table.entries.push_back({.name = tensor.name, .type = &type, .shape = tensor.shape});
  }
  const std::string header = format_header(table);
  const uint64_t values_size = table.entries.empty() ? 0 : table.entries.back().end;
  OutputFile file(files, path, header.size() + values_size);
  file.write(header);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto& [name, shape, values, integers] = tensors[i];
    const size_t count = integers.empty() ? values.size() : integers.size();
    require(count == table.entries[i].elements,
            "write_safetensors: {} has {} values, but its shape is {}", name, count,
            text_of(shape));
    file.write(integers.empty() ? bytes_of(values) : bytes_of(integers));
  }
  return file.finish();
}

SafetensorsFile::SafetensorsFile(FileSystem& files, std::string path)
    : file_(files, std::move(path)), table_(read_table(file_)) {}

Fingerprint SafetensorsFile::read(std::span<const TensorSlot> wanted) const {
  std::unordered_map<std::string_view, const TensorSlot*> targets;
  std::unordered_map<std::string_view, ScaledMatrix> scaled;  // by the name of the scales
  for (const TensorSlot& target : wanted) {
    require(targets.emplace(target.name, &target).second, "SafetensorsFile: {} is wanted twice",
            target.name);
    const TensorEntry* entry = table_.find(target.name);
    require(entry && entry->shape == target.shape && entry->elements == target.values.size(),
            "SafetensorsFile: {} is not in {} with the shape {}", target.name, file_.path(),
            text_of(target.shape));
    if (const TensorEntry* scales = scales_of(table_, *entry)) {
      scaled[scales->name] = {target.values, entry->shape[1], scales->shape[1] == 1,
                              std::vector<real>(scales->elements)};
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
    const auto scales = scaled.find(entry.name);
    if (scales != scaled.end()) {
      read_values(reader, entry, scales->second.scales);
    } else if (target != targets.end() && entry.type->decode) {
      read_values(reader, entry, target->second->values);
    } else if (target != targets.end()) {
      read_integers(reader, entry, target->second->values);
    } else {
      reader.read_through(entry.end - entry.begin, ignore);
    }
  }
  for (const auto& [name, matrix] : scaled) matrix.apply();
  return reader.finish();
}

std::optional<std::string> mismatch(const TensorTable& table, const TensorSlot& wanted) {
  const TensorEntry* entry = table.find(wanted.name);
  if (entry == nullptr) return fmt::format("{} is missing", wanted.name);
  if (entry->shape != wanted.shape) {
    return fmt::format("{} is {}, but {} is needed", wanted.name, text_of(entry->shape),
                       text_of(wanted.shape));
  }
  if (entry->type->decode || scales_of(table, *entry)) return std::nullopt;
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
    if (const TensorEntry* scales = entry ? scales_of(table, *entry) : nullptr) {
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
    constexpr real largest = std::numeric_limits<real>::max();
    unsigned beyond = 0;  // without a branch, so that the loop vectorises
    for (const real value : tensor.values) beyond |= !(std::abs(value) <= largest);
    if (beyond) return tensor.name;
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
