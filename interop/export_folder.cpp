#include "interop/export_folder.h"

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "data/files/file.h"
#include "train/storage/run_folder.h"
#include "train/storage/safetensors.h"

namespace calque {

ExportFolder::ExportFolder(std::string out) : out_(without_slash(out)), temporary_(out_ + ".tmp") {
  if (exists(real_files(), out_)) fail("{}: already exists; choose another folder", out_);
  remove_all(real_files(), temporary_);  // left by an export that was killed
  calque::make_folder(real_files(), temporary_);
}

ExportFolder::~ExportFolder() {
  std::error_code ignored;
  if (!finished_) std::filesystem::remove_all(temporary_, ignored);
}

std::string ExportFolder::file(std::string_view name) const {
  return temporary_ + "/" + std::string(name);
}

void ExportFolder::write(std::string_view name, std::string_view bytes) const {
  write_text(real_files(), file(name), bytes);
}

void ExportFolder::write_json(std::string_view name, const nlohmann::ordered_json& json) const {
  write(name, json.dump(2) + "\n");
}

void ExportFolder::write_read_back(std::string_view name, std::string_view bytes) const {
  write(name, bytes);
  if (read_file(file(name), std::ssize(bytes)) != bytes) {
    fail("{}: differs from what was written; export again", file(name));
  }
}

void ExportFolder::write_npz(std::string_view name, const std::vector<NpyArray>& arrays) const {
  const std::string path = file(name), bytes = npz_bytes(arrays, path);
  write(name, bytes);
  if (parse_npz(read_file(path, std::ssize(bytes)), path) != arrays) {
    fail("{}: differs from what was written; export again", path);
  }
}

void ExportFolder::make_folder(std::string_view name) {
  inner_.push_back(file(name));
  calque::make_folder(real_files(), inner_.back());
}

void ExportFolder::write_safetensors(std::string_view name, const TensorList& tensors,
                                     const std::string& format) const {
  std::vector<NamedTensor> views;
  TensorList read;
  std::vector<TensorSlot> slots;
  for (const auto& [own, tensor] : tensors) {
    const auto sizes = tensor.shape().sizes();
    const std::vector<int64_t> shape(sizes.begin(), sizes.end());
    views.push_back({own, shape, tensor.span()});
    read.push_back({own, Tensor(tensor.shape())});
    slots.push_back({own, shape, read.back().tensor.span()});
  }
  std::map<std::string, std::string> metadata;
  if (!format.empty()) metadata["format"] = format;
  const std::string path = file(name);
  const Fingerprint written = calque::write_safetensors(real_files(), path, views, metadata);
  if (SafetensorsFile(real_files(), path).read(slots) != written) {
    fail("{}: the disk returned other bytes than were written; export again", path);
  }
  require_same(tensors, read, path);
}

void ExportFolder::finish() {
  for (const std::string& folder : inner_) sync_folder(real_files(), folder);
  sync_folder(real_files(), temporary_);
  rename(real_files(), temporary_, out_);
  finished_ = true;
  sync_folder(real_files(), folder_of(out_));
}

}  // namespace calque
