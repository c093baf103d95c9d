#include "interop/huggingface/peft.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "interop/files/json.h"

namespace calque {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view prefix = "base_model.model.";
constexpr int64_t most_rank = 65536;

std::string name_of_a(const std::string& name) {
  return fmt::format("{}{}.lora_A.weight", prefix, name);
}
std::string name_of_b(const std::string& name) {
  return fmt::format("{}{}.lora_B.weight", prefix, name);
}

// The number of the part of a layer that has these columns; all of them if the list is empty.
size_t part_of(const std::string& name, const Linear& layer, const std::vector<int64_t>& columns) {
  const std::vector<Tensor>& b = layer.adapter->b;
  int64_t begin = 0;
  for (size_t i = 0; i < b.size(); begin += b[i].cols(), ++i) {
    const bool same =
        columns.empty() ? b.size() == 1 : columns == column_range(begin, begin + b[i].cols());
    if (same) return i;
  }
  fail("{}: PEFT cannot hold its adapter, because the columns of several matrices are mixed", name);
}

// The part's columns of A.
Tensor part_of_a(const Adapter& adapter, size_t part) {
  const int64_t rank = adapter.b[part].rows(), begin = static_cast<int64_t>(part) * rank;
  const NoGradient off;
  return slice_cols(adapter.a, begin, begin + rank);
}

// Lists the tensors of an adapter, and the modules that they belong to.
class PeftListingWalk : public ParameterWalk {
 public:
  void tensor(const std::string& name, const Tensor& own, const Placement& placement) override {
    if (!own.gradient()) return;
    ListingWalk part;
    part.tensor(std::string(prefix) + name, own, placement);
    list.push_back(std::move(part.list.front()));
    saved.insert(name.substr(0, name.rfind('.')));
  }
  void table(const std::string&, const Tensor&, Side, real) override {}
  void linear(const std::string& name, const Linear& layer, std::vector<int64_t> columns) override {
    if (!layer.adapter) return ParameterWalk::linear(name, layer, std::move(columns));
    const size_t part = part_of(name, layer, columns);
    list.push_back({name_of_a(name), transposed(part_of_a(*layer.adapter, part))});
    list.push_back({name_of_b(name), transposed(layer.adapter->b[part])});
    targets.push_back(name);
  }

  TensorList list;
  std::vector<std::string> targets;
  std::set<std::string> saved;
};

Json task_type(TaskKind task) {
  switch (task) {
    case TaskKind::translation:
      return "SEQ_2_SEQ_LM";
    case TaskKind::language_model:
      return "CAUSAL_LM";
    case TaskKind::classification:
      return "SEQ_CLS";
    case TaskKind::tagging:
      return "TOKEN_CLS";
    default:
      return nullptr;
  }
}

Json peft_config(const Config& config, const PeftListingWalk& walk) {
  const AdapterOptions& adapter = config.model.adapter;
  Json json;
  json["peft_type"] = "LORA";
  json["task_type"] = task_type(config.task);
  json["base_model_name_or_path"] = config.model.init_from;
  json["r"] = adapter.rank;
  json["lora_alpha"] = adapter.alpha;
  json["lora_dropout"] = adapter.dropout;
  json["target_modules"] = walk.targets;
  json["modules_to_save"] = nullptr;
  if (!walk.saved.empty()) json["modules_to_save"] = walk.saved;
  json["bias"] = "none";
  json["fan_in_fan_out"] = false;
  json["inference_mode"] = true;
  return json;
}

constexpr std::string_view peft_readme =
    R"(# A LoRA adapter for PEFT

BASE is the folder that `calque export` writes of the base run, in the format huggingface, or the folder
that the base was imported from.

```python
from peft import PeftModel
from transformers import AutoModelForCausalLM
model = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained("BASE"), "PATH OF THIS FOLDER")
```
)";

void refuse_if(const ForeignJson& config, bool refused, std::string_view name) {
  if (refused) config.refuse(name, "is a variant of LoRA that calque does not have");
}

bool is_set(const ForeignJson& config, std::string_view name) {
  return config.has(name) && !config.json()[name].empty() && config.json()[name] != false;
}

}  // namespace

void write_peft(const AnyExported& from, ExportFolder& to) {
  std::visit(
      [&]<class Model>(const Exported<Model>& own) {
        if constexpr (!std::is_same_v<Model, Parameters>) {
          PeftListingWalk walk;
          walk_huggingface(walk, own.model);
          to.write_safetensors("adapter_model.safetensors", walk.list, "pt");
          to.write_json("adapter_config.json", peft_config(own.config, walk));
          to.write("README.md", peft_readme);
        }
      },
      from);
}

bool is_peft_folder(const std::string& folder) {
  return std::filesystem::exists(folder + "/adapter_config.json");
}

PeftAdapter read_peft(const std::string& folder) {
  const ForeignJson config = ForeignJson::read(folder + "/adapter_config.json");
  if (config.text("peft_type") != "LORA") config.refuse("peft_type", "must be LORA");
  if (config.text("bias", "none") != "none") config.refuse("bias", "must be none");
  for (const char* variant :
       {"use_dora", "use_qalora", "fan_in_fan_out", "rank_pattern", "alpha_pattern",
        "layer_replication", "lora_bias", "trainable_token_indices", "target_parameters"}) {
    refuse_if(config, is_set(config, variant), variant);
  }
  AdapterOptions options{.kind = AdapterKind::lora};
  options.rank = config.integer("r", 1, most_rank);
  options.alpha = static_cast<real>(config.number("lora_alpha", 8.0));
  if (!(options.alpha > 0)) config.refuse("lora_alpha", "must be above 0");
  // rsLoRA divides alpha by the square root of the rank.
  if (config.flag("use_rslora", false)) options.alpha *= std::sqrt(real(options.rank));
  options.dropout = static_cast<real>(config.number("lora_dropout", 0.0));
  if (!(options.dropout >= 0 && options.dropout < 1)) {
    config.refuse("lora_dropout", "must be at least 0 and less than 1");
  }
  return {options, read_weights_file(folder + "/adapter_model.safetensors")};
}

void PeftFillingWalk::tensor(const std::string& name, const Tensor& own,
                             const Placement& placement) {
  if (!own.gradient()) return;
  const std::string full = std::string(prefix) + name;
  if (!from_.has(full)) return;
  const bool flip = placement.transposed && own.shape().axes() == 2;
  const Tensor read = from_.take(full, flip ? Shape{own.cols(), own.rows()} : own.shape());
  std::ranges::copy((flip ? transposed(read) : read).span(), own.data());
}

void PeftFillingWalk::linear(const std::string& name, const Linear& layer,
                             std::vector<int64_t> columns) {
  if (!layer.adapter) return ParameterWalk::linear(name, layer, std::move(columns));
  const Adapter& adapter = *layer.adapter;
  const size_t part = part_of(name, layer, columns);
  const Tensor& b = adapter.b[part];
  const int64_t rank = b.rows(), in = adapter.a.rows();
  real* const to = adapter.a.data() + static_cast<int64_t>(part) * rank;
  if (!from_.has(name_of_a(name))) {
    for (int64_t i = 0; i < in; ++i) std::fill_n(to + i * adapter.a.cols(), rank, real(0));
    std::ranges::fill(b.span(), real(0));
    return;
  }
  const Tensor a = transposed(from_.take(name_of_a(name), {rank, in}));
  for (int64_t i = 0; i < in; ++i) {
    std::copy_n(a.data() + i * rank, rank, to + i * adapter.a.cols());
  }
  std::ranges::copy(transposed(from_.take(name_of_b(name), {b.cols(), rank})).span(), b.data());
}

}  // namespace calque
