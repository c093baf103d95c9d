#include "train/weights/adapter.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/compact_weights.h"
#include "core/error.h"
#include "core/products/blas.h"
#include "train/weights/derived_run.h"
#include "train/weights/initial_weights.h"
#include "train/weights/parameter_tensors.h"

namespace calque {
namespace {

constexpr std::string_view suffix_a = ".lora_a", infix_b = ".lora_b.";

// The tensors of an adapter's checkpoint: memory for those of the corrections, which no parameter
// of the plain model has, and the parameters that were trained beside them.
struct SavedTensors {
  struct Own {
    std::string name;
    std::vector<int64_t> shape;
    std::vector<real> values;
  };
  std::vector<Own> own;
  std::vector<TensorSlot> slots;

  SavedTensors(const std::string& checkpoint, const Parameters& parameters) {
    const SafetensorsFile file(real_files(), checkpoint + "/model.safetensors");
    own.reserve(file.table().entries.size());  // the slots have windows into it
    for (const TensorEntry& entry : file.table().entries) {
      if (const auto* parameter = parameters.find(entry.name)) {
        const auto sizes = parameter->shape.sizes();
        slots.push_back({entry.name, {sizes.begin(), sizes.end()}, parameter->values()});
      } else {
        Own& tensor = own.emplace_back(entry.name, entry.shape, std::vector<real>(entry.elements));
        slots.push_back({entry.name, entry.shape, tensor.values});
      }
    }
  }

  bool has(const std::string& name) const {
    return std::ranges::count(slots, name, &TensorSlot::name) > 0;
  }
  const Own* find(const std::string& name) const {
    const auto found = std::ranges::find(own, name, &Own::name);
    return found == own.end() ? nullptr : &*found;
  }
};

[[noreturn]] void refuse(const std::string& run, const std::string& tensor) {
  fail("{}: {} fits no parameter of the model; its config.yaml is that of another run", run,
       tensor);
}

// Adds the corrections to the weights.
void merge(const std::string& run, const SavedTensors& saved, real scale,
           const Parameters& parameters) {
  size_t used = 0;
  for (const SavedTensors::Own& a : saved.own) {
    if (!a.name.ends_with(suffix_a)) continue;
    const std::string layer = a.name.substr(0, a.name.size() - suffix_a.size());
    const Parameters::Entry* weight = parameters.find(layer + ".weight");
    if (!weight || weight->shape.axes() != 2 || a.shape.size() != 2) refuse(run, a.name);
    const int64_t in = weight->shape[0], out = weight->shape[1];
    int64_t part = 0, column = 0;
    ++used;
    while (const auto* b = saved.find(fmt::format("{}{}{}", layer, infix_b, part))) {
      const int64_t rank = b->shape.at(0), columns = b->shape.at(1);
      if (a.shape[0] != in || a.shape[1] < (part + 1) * rank || column + columns > out) {
        refuse(run, b->name);
      }
      gemm({a.values.data() + part * rank, in, rank, a.shape[1]}, {b->values.data(), rank, columns},
           {weight->values().data() + column, true}, scale, out);
      column += columns;
      ++part;
      ++used;
    }
    if (column != out) refuse(run, a.name);
  }
  if (used != saved.own.size()) {
    fail(
        "{}: {} of its tensors fit no parameter of the model; its config.yaml is that of another "
        "run",
        run, saved.own.size() - used);
  }
}

}  // namespace

void load_base(const std::string& run, const BaseWeights& saved, const std::string& init_from,
               std::span<const TensorSlot> slots) {
  namespace fs = std::filesystem;
  std::string file = saved.file;
  if (!fs::exists(file)) {
    try {
      file = weights_file(init_from);
    } catch (const Error&) {
      fail(
          "{}: its base, {}, is missing; put it back, or name its new place as model.init_from in "
          "{}/config.yaml",
          run, saved.file, run);
    }
  }
  const SafetensorsFile weights(real_files(), file);
  for (const TensorSlot& slot : slots) {
    if (const auto problem = mismatch(weights.table(), slot)) {
      fail("{}: {} is not its base: {}", run, file, *problem);
    }
  }
  if (weights.read(slots) != saved.contents) {
    fail("{}: {} is not its base: its contents are not those that the adapter was trained with",
         run, file);
  }
}

LoadedCheckpoint load_adapted(
    const RunLocation& run, const std::string& checkpoint, const Parameters& parameters,
    const std::function<LoadedCheckpoint(const std::vector<TensorSlot>&)>& load) {
  const SavedTensors saved(checkpoint, parameters);
  LoadedCheckpoint loaded = load(saved.slots);
  std::vector<TensorSlot> rest = parameter_slots(parameters);
  std::erase_if(rest, [&](const TensorSlot& slot) { return saved.has(slot.name); });
  load_base(run.folder.path, loaded.state.base, run.config.model.init_from, rest);
  const AdapterOptions& adapter = run.adapter;
  for (const TensorSlot& slot : rest) {
    round_weight(*parameters.find(slot.name), adapter.base);  // as the adapter was trained with
  }
  merge(run.folder.path, saved, adapter.alpha / static_cast<real>(adapter.rank), parameters);
  return loaded;
}

void merge_adapter(const std::string& place, const std::string& out, const MakeTask& make_task,
                   real strength) {
  require_new_run(out);
  RunLocation location = find_run(place);
  if (!location.adapter) fail("{}: has no adapter to merge; it is a plain run", place);
  location.adapter.alpha *= strength;
  const TrainedRun run = open_run(std::move(location), make_task);
  save_derived_run(run, out, parameter_tensors(run.task->parameters()),
                   load_state(real_files(), run.weights.checkpoint));
}

}  // namespace calque
