#pragma once
// The folder of an export, or of an import: written as OUT.tmp and renamed to OUT when every file
// has been read back. A failure leaves nothing behind.

#include <string>
#include <string_view>
#include <vector>

#include "interop/tensor_list.h"

namespace calque {

class ExportFolder {
 public:
  // Throws an Error if `out` exists.
  explicit ExportFolder(std::string out);
  ~ExportFolder();
  ExportFolder(const ExportFolder&) = delete;
  ExportFolder& operator=(const ExportFolder&) = delete;

  std::string file(std::string_view name) const;  // its path while the export is written

  void write(std::string_view name, std::string_view bytes) const;
  // The same, and compares the file with the bytes.
  void write_read_back(std::string_view name, std::string_view bytes) const;
  void make_folder(std::string_view name);  // inside this one
  // A safetensors file, read back and compared. `format` is its metadata's: "pt" for PyTorch.
  void write_safetensors(std::string_view name, const TensorList& tensors,
                         const std::string& format = "") const;

  void finish();

 private:
  std::string out_, temporary_;
  std::vector<std::string> inner_;  // folders inside
  bool finished_ = false;
};

}  // namespace calque
