#pragma once
// Tensors written to and read from a safetensors file, as named windows into memory that somebody
// else owns. A file is always read whole and in order, and digested on the way: only once its
// fingerprint is that of what was written may the values be used.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/real.h"
#include "train/storage/durable_files.h"
#include "train/storage/safetensors_header.h"

namespace calque {

struct NamedTensor {  // values to be written
  std::string name;
  std::vector<int64_t> shape;
  std::span<const real> values;
};

struct TensorSlot {  // values to be read
  std::string name;
  std::vector<int64_t> shape;
  std::span<real> values;
};

// Writes a new file; it is on the disk when this returns. The tensors lie in it in their given
// order.
Fingerprint write_safetensors(FileSystem& files, const std::string& path,
                              std::span<const NamedTensor> tensors,
                              const std::map<std::string, std::string>& metadata = {});

class SafetensorsFile {
 public:
  SafetensorsFile(FileSystem& files, std::string path);

  const TensorTable& table() const { return table_; }
  uint64_t size() const { return file_.size(); }

  // Reads the whole file: the values of the wanted tensors into their places, converted to real,
  // the others for the digest alone. Each wanted one must be there, with that shape.
  Fingerprint read(std::span<const TensorSlot> wanted) const;

 private:
  InputFile file_;
  TensorTable table_;
};

// What is wrong with the table's tensor of the wanted name, or nothing.
std::optional<std::string> mismatch(const TensorTable& table, const TensorSlot& wanted);

// What keeps a file from filling exactly these targets, one line each; at most `limit` lines, the
// last of which then says how many more there are. Nothing: they fit.
std::vector<std::string> differences(const TensorTable& table, std::span<const TensorSlot> wanted,
                                     size_t limit = 8);

// The name of the first tensor with a value that is infinite or not a number.
std::optional<std::string> first_not_finite(std::span<const NamedTensor> tensors);
std::optional<std::string> first_not_finite(std::span<const TensorSlot> tensors);

}  // namespace calque
