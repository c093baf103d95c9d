#pragma once
// Adapters as PEFT stores them: adapter_config.json and adapter_model.safetensors. The names are
// those of the class of transformers that holds the base; PEFT stores A as [rank, in] and B as
// [columns, rank]. The head of a classifier, which is trained in full, is a module to save.

#include <string>

#include "core/error.h"
#include "interop/export_folder.h"
#include "interop/huggingface/names.h"
#include "interop/model.h"
#include "interop/parameters/tensors.h"

namespace calque {

// Requires a model with adapters.
void write_peft(const AnyExported& from, ExportFolder& to);

// An adapter in a folder.
struct PeftAdapter {
  AdapterOptions options;  // adapts both kinds of sublayers
  ForeignTensors tensors;
};
bool is_peft_folder(const std::string& folder);
// Throws an Error for a folder that is damaged, or an adapter that calque cannot represent.
PeftAdapter read_peft(const std::string& folder);

// Fills the adapters of a model, and its head, with the tensors, and takes them out. A layer
// without tensors gets zeros.
class PeftFillingWalk : public ParameterWalk {
 public:
  explicit PeftFillingWalk(ForeignTensors& from) : from_(from) {}
  void tensor(const std::string& name, const Tensor& own, const Placement& placement) override;
  void table(const std::string&, const Tensor&, Side, real) override {}
  void linear(const std::string& name, const Linear& linear, std::vector<int64_t> columns) override;

 private:
  ForeignTensors& from_;
};

}  // namespace calque
