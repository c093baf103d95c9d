#pragma once
// The folder of an export, or of an import: written as OUT.tmp and renamed to OUT when every file
// has been read back. A failure leaves nothing behind.

#include <string>
#include <string_view>

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
  // A safetensors file, read back and compared. `format` is its metadata's: "pt" for PyTorch.
  void write_safetensors(std::string_view name, const TensorList& tensors,
                         const std::string& format = "") const;

  void finish();

 private:
  std::string out_, temporary_;
  bool finished_ = false;
};

}  // namespace calque
