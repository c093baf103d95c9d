// safetensors files: an accepted header covers its file exactly and is the same after writing and
// parsing it, and the tensors of floating-point numbers can be read.

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <vector>

#include "fuzz/memory_file.h"
#include "train/storage/safetensors.h"

using namespace calque;

namespace {

void check_table(const TensorTable& table, uint64_t file_size) {
  uint64_t reached = 0;
  for (const TensorEntry& entry : table.entries) {
    must(entry.type && entry.begin == reached && entry.begin <= entry.end);
    must(entry.end - entry.begin == entry.elements * entry.type->bytes);
    reached = entry.end;
  }
  must(table.data_begin + reached == file_size);

  TensorTable copy = table;
  const std::string header = format_header(copy);
  const TensorTable again = parse_header(header.substr(8), header.size() + reached, "again");
  must(again.metadata == table.metadata && again.entries.size() == table.entries.size());
  for (const TensorEntry& entry : table.entries) {
    const TensorEntry* same = again.find(entry.name);
    must(same && same->shape == entry.shape && same->type == entry.type);
  }
}

void load(std::string_view content) {
  const MemoryFile memory(content);
  const auto opened =
      accepted([&] { return std::make_unique<SafetensorsFile>(real_files(), memory.path()); });
  if (!opened) return;
  const SafetensorsFile& file = **opened;
  check_table(file.table(), content.size());
  std::vector<std::vector<real>> values;
  std::vector<TensorSlot> wanted;
  for (const TensorEntry& entry : file.table().entries) {
    if (!entry.type->decode) continue;
    values.emplace_back(entry.elements);
    wanted.push_back({entry.name, entry.shape, values.back()});
  }
  differences(file.table(), wanted);
  must(file.read(wanted) == Fingerprint{content.size(), content_hash(content)});
}

}  // namespace

// Mutations hardly ever have the right length of the header, so the input is loaded as a file, and
// as a header with its length before it and 0, 4, 24 or 80 bytes of values after it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input = text_of(data, size);
  load(input);
  const uint64_t length = size;
  const std::string file = std::string(reinterpret_cast<const char*>(&length), 8).append(input);
  for (const size_t values : {size_t{0}, size_t{4}, size_t{24}, size_t{80}}) {
    load(file + std::string(values, '\x3C'));
  }
  return 0;
}
