// pytorch_model.bin: the accepted tensors have the described sizes and finite numbers.

#include <cmath>

#include "fuzz/memory_file.h"
#include "interop/files/pickle.h"
#include "interop/files/torch_file.h"
#include "interop/files/zip.h"

using namespace calque;

namespace {

void read_archive(std::string_view bytes) {
  ForeignTensors tensors("fuzz");
  const bool good = accepted([&] {
                      add_torch_tensors(bytes, "fuzz", tensors);
                      return true;
                    }).has_value();
  if (!good) return;
  for (const ZipFile& file : parse_zip(bytes, "fuzz")) {
    if (!file.name.ends_with("data.pkl")) continue;
    const auto all = accepted([&] { return parse_torch_pickle(file.bytes, "fuzz"); });
    if (!all) continue;  // not the data.pkl of the tensors
    for (const TorchTensor& described : *all) {
      const Tensor* tensor = tensors.find(described.name);
      if (!tensor) continue;
      must(tensor->size() == described.elements);
      for (const real value : tensor->span()) must(std::isfinite(value));
    }
  }
}

}  // namespace

// Mutations rarely have valid checksums, so the input is also read as the data.pkl of an archive
// with storages of 6 numbers of 2, 4 and 8 bytes.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input = text_of(data, size);
  read_archive(input);
  ZipWriter archive("fuzz");
  archive.add("x/data.pkl", input);
  for (const auto& [name, bytes] :
       {std::pair{"x/data/0", 12}, {"x/data/1", 24}, {"x/data/2", 48}}) {
    archive.add(name, std::string(static_cast<size_t>(bytes), '\x01'));
  }
  read_archive(archive.finish());
  return 0;
}
