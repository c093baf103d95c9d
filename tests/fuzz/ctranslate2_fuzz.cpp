// model.bin of CTranslate2: an accepted model is the same after writing and parsing it. It is then
// updated to the current revision if possible, and the tensors made from its variables have finite
// numbers.

#include <cmath>
#include <nlohmann/json.hpp>

#include "fuzz/memory_file.h"
#include "interop/ctranslate2/format.h"
#include "interop/ctranslate2/revisions.h"

using namespace calque;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto model = accepted([&] { return parse_ct2(text_of(data, size), "fuzz"); });
  if (!model) return 0;
  Ct2Model written = *model;
  written.version = 6;
  must(parse_ct2(ct2_bytes(written), "again") == written);
  const auto settings = accepted([&] {
    upgrade_to_current_revision(*model, "fuzz");
    return take_ct2_settings(*model, "fuzz");
  });
  must(!settings || settings->at("add_source_eos").is_boolean());
  const auto tensors = accepted([&] { return ct2_tensors(*model, "fuzz"); });
  if (!tensors) return 0;
  for (const Ct2Variable& variable : model->variables) {
    const Tensor* tensor = tensors->find(variable.name);
    if (!tensor) continue;
    for (const real value : tensor->span()) must(std::isfinite(value));
  }
  return 0;
}
