// .npz files of Marian: accepted arrays are the same after writing and parsing them, and the
// tensors of a model are finite numbers. The settings are refused or describe a Transformer.

#include <cmath>

#include "fuzz/memory_file.h"
#include "interop/files/npz.h"
#include "interop/files/zip.h"
#include "interop/marian/format.h"
#include "interop/marian/settings.h"

using namespace calque;

namespace {

void read_settings(std::string_view text) {
  ModelConfig model;
  accepted([&] {
    const ForeignJson settings = marian_settings(text, "fuzz");
    read_marian_model(settings, model);
    must(model.heads > 0 && model.d_model % model.heads == 0);
    return true;
  });
}

}  // namespace

// Mutations rarely have valid checksums, so the input is also read as the settings and as the bytes
// of one array.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input = text_of(data, size);
  read_settings(input);
  ZipWriter archive("fuzz");
  archive.add("a.npy", input);
  const std::string one = archive.finish();
  for (const std::string_view bytes : {input, std::string_view(one)}) {
    const auto arrays = accepted([&] { return parse_npz(bytes, "fuzz"); });
    if (!arrays) continue;
    must(parse_npz(npz_bytes(*arrays, "again"), "again") == *arrays);
    const auto file = accepted([&] { return parse_marian(bytes, "fuzz"); });
    if (!file) continue;
    for (const NpyArray& array : *arrays) {
      const Tensor* tensor = file->tensors.find(array.name);
      if (!tensor) continue;
      for (const real value : tensor->span()) must(std::isfinite(value));
    }
  }
  return 0;
}
