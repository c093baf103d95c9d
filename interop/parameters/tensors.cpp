#include "interop/parameters/tensors.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "interop/files/json.h"
#include "interop/files/torch_file.h"
#include "train/storage/safetensors.h"

namespace calque {
namespace {

void add_safetensors(const std::string& path, ForeignTensors& to) {
  const SafetensorsFile file(real_files(), path);
  std::vector<TensorSlot> slots;
  for (const TensorEntry& entry : file.table().entries) {
    if (!entry.type->decode) {
      to.add_other(entry.name, entry.type->name);
      continue;
    }
    Tensor tensor(foreign_shape(entry.shape, path, entry.name));
    slots.push_back({entry.name, entry.shape, tensor.span()});
    to.add(entry.name, std::move(tensor));
  }
  file.read(slots);
  if (const auto bad = first_not_finite(std::span<const TensorSlot>(slots))) {
    fail("{}: {} holds a value that is infinite or not a number", path, printable(*bad));
  }
}

struct WeightsFormat {
  std::string_view file, ending;
  void (*add)(const std::string& path, ForeignTensors& to);
};
constexpr WeightsFormat weights_formats[] = {{"model.safetensors", ".safetensors", add_safetensors},
                                             {"pytorch_model.bin", ".bin", add_torch_file}};

// The files of a model that is too large for one file. Names with a slash are refused, as they may
// lead out of the folder.
std::set<std::string> files_of_index(const std::string& path, std::string_view ending) {
  const ForeignJson index = ForeignJson::read(path);
  if (!index.has("weight_map")) index.refuse("weight_map", "is missing");
  std::set<std::string> files;
  for (const auto& item : index.json()["weight_map"].items()) {
    const bool plain = item.value().is_string() &&
                       item.value().get<std::string>().find('/') == std::string::npos &&
                       item.value().get<std::string>().ends_with(ending);
    if (!plain) {
      index.refuse("weight_map", fmt::format("must map names to files of its folder, *{}", ending));
    }
    files.insert(item.value().get<std::string>());
  }
  return files;
}

}  // namespace

void ForeignTensors::add(const std::string& name, Tensor tensor) {
  if (!tensors_.emplace(name, std::move(tensor)).second) {
    fail("{}: {} is there twice", place_, printable(name));
  }
}

void ForeignTensors::add_other(const std::string& name, std::string_view type) {
  others_.emplace(name, type);
}

const Tensor* ForeignTensors::find(std::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

Tensor ForeignTensors::take(std::string_view name, const Shape& shape) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    const auto other = others_.find(name);
    if (other == others_.end()) fail("{}: {} is missing", place_, name);
    fail("{}: {} is of type {}, but floating-point numbers are needed", place_, name,
         other->second);
  }
  if (found->second.shape() != shape) {
    fail("{}: {} is {}, but the model needs {}", place_, name, found->second.shape(), shape);
  }
  Tensor tensor = std::move(found->second);
  tensors_.erase(found);
  return tensor;
}

void ForeignTensors::drop(std::string_view name) {
  const auto found = tensors_.find(name);
  if (found != tensors_.end()) tensors_.erase(found);
}

void ForeignTensors::rename_endings(std::string_view old, std::string_view now) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors_) {
    if (name.ends_with(old)) names.push_back(name);
  }
  for (const std::string& name : names) {
    Tensor tensor = std::move(tensors_.extract(name).mapped());
    add(name.substr(0, name.size() - old.size()) + std::string(now), std::move(tensor));
  }
}

void ForeignTensors::add_prefix(const std::string& prefix, std::string_view except) {
  std::map<std::string, Tensor, std::less<>> renamed;
  for (auto& [name, tensor] : tensors_) {
    renamed.emplace(name == except ? name : prefix + name, std::move(tensor));
  }
  tensors_ = std::move(renamed);
}

void ForeignTensors::finish() const {
  if (tensors_.empty()) return;
  fail("{}: {} has no place in the model that the settings describe{}", place_,
       printable(tensors_.begin()->first),
       tensors_.size() == 1 ? "" : fmt::format(" (and {} more)", tensors_.size() - 1));
}

Shape foreign_shape(std::span<const int64_t> sizes, const std::string& place,
                    std::string_view name) {
  int64_t elements = 1;
  const bool countable = std::ranges::all_of(sizes, [&](int64_t size) {
    return size >= 0 && !__builtin_mul_overflow(elements, std::max<int64_t>(size, 1), &elements);
  });
  if (!countable || sizes.size() > Shape::most_axes) {
    fail("{}: {} has a shape that no tensor has, of {} axes", place, printable(name), sizes.size());
  }
  return Shape(sizes);
}

ForeignTensors read_weights_folder(const std::string& folder) {
  for (const auto& [file, ending, add] : weights_formats) {
    const std::string whole = fmt::format("{}/{}", folder, file), index = whole + ".index.json";
    if (std::filesystem::exists(whole)) {
      ForeignTensors tensors(whole);
      add(whole, tensors);
      return tensors;
    }
    if (!std::filesystem::exists(index)) continue;
    ForeignTensors tensors(index);
    for (const std::string& part : files_of_index(index, ending)) {
      add(folder + "/" + part, tensors);
    }
    return tensors;
  }
  fail("{}/model.safetensors: is missing, and so is pytorch_model.bin", folder);
}

ForeignTensors read_weights_file(const std::string& path) {
  ForeignTensors tensors(path);
  add_safetensors(path, tensors);
  return tensors;
}

}  // namespace calque
