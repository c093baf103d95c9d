#include "train/storage/safetensors.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/error.h"
#include "core/products/compact/matrix.h"
#include "train/storage/compact_tensors.h"

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
    const ElementType& type = stored_type(tensor);
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
  for (const TensorSlot& target : wanted) {
    require(targets.emplace(target.name, &target).second, "SafetensorsFile: {} is wanted twice",
            target.name);
    const TensorEntry* entry = table_.find(target.name);
    const bool scaled = entry && scales_of(table_, *entry, target.shape);
    require(entry && (scaled || entry->shape == target.shape) &&
                (target.compact || target.values.size() == elements_of(target.shape)),
            "SafetensorsFile: {} is not in {} with the shape {}", target.name, file_.path(),
            text_of(target.shape));
    if (!scaled && !entry->type->decode) {
      fail("{}: the values of {} are {}, not floating-point numbers", file_.path(), target.name,
           entry->type->name);
    }
  }
  DigestingReader reader(file_);
  const auto ignore = [](std::span<const std::byte>) {};
  const auto next = [&](std::span<std::byte> bytes) { reader.read(bytes); };
  reader.read_through(table_.data_begin, ignore);
  for (const TensorEntry& entry : table_.entries) {
    const auto target = targets.find(entry.name);
    if (target == targets.end()) {
      reader.read_through(entry.end - entry.begin, ignore);
    } else if (target->second->compact || scales_of(table_, entry, target->second->shape)) {
      read_matrix(file_, table_, entry, *target->second, next);
    } else {
      read_values(reader, entry, target->second->values);
    }
  }
  return reader.finish();
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
