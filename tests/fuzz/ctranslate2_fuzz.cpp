// model.bin of CTranslate2: an accepted model is the same after writing and parsing it, and its
// variables are refused or become tensors of finite numbers.

#include <cmath>

#include "fuzz/memory_file.h"
#include "interop/ctranslate2_import.h"

using namespace calque;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto model = accepted([&] { return parse_ct2(text_of(data, size), "fuzz"); });
  if (!model) return 0;
  must(parse_ct2(ct2_bytes(*model), "again") == *model);
  const auto tensors = accepted([&] { return ct2_tensors(*model, "fuzz"); });
  if (!tensors) return 0;
  for (const Ct2Variable& variable : model->variables) {
    const Tensor* tensor = tensors->find(variable.name);
    if (!tensor) continue;
    for (const real value : tensor->span()) must(std::isfinite(value));
  }
  return 0;
}
