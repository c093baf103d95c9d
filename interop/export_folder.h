#pragma once
// The folder of an export or an import. Its files are written to OUT.tmp, which finish() renames to
// OUT. Without finish(), the destructor removes OUT.tmp.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "interop/files/npz.h"
#include "interop/parameters/tensor_list.h"

namespace calque {

class ExportFolder {
 public:
  // Throws an Error if `out` exists.
  explicit ExportFolder(std::string out);
  ~ExportFolder();
  ExportFolder(const ExportFolder&) = delete;
  ExportFolder& operator=(const ExportFolder&) = delete;

  const std::string& out() const { return out_; }
  std::string file(std::string_view name) const;  // the path of the file in OUT.tmp

  void write(std::string_view name, std::string_view bytes) const;
  void write_json(std::string_view name, const nlohmann::ordered_json& json) const;
  // Write the file and read it back. Throw an Error if the bytes or arrays differ.
  void write_read_back(std::string_view name, std::string_view bytes) const;
  void write_npz(std::string_view name, const std::vector<NpyArray>& arrays) const;
  void make_folder(std::string_view name);  // inside this one
  // Writes a safetensors file and reads it back. Throws an Error if the tensors differ. A `format`
  // that is not empty becomes metadata: "pt" for PyTorch.
  void write_safetensors(std::string_view name, const TensorList& tensors,
                         const std::string& format = "") const;

  // A line for whoever exports.
  void remark(std::string text) { remark_ = std::move(text); }
  const std::string& remark() const { return remark_; }

  void finish();

 private:
  std::string out_, temporary_, remark_;
  std::vector<std::string> inner_;  // folders inside
  bool finished_ = false;
};

}  // namespace calque
