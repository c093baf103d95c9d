#pragma once
// Writes and reads safetensors files; the tensors are named windows into the caller's memory.
// SafetensorsFile::read() reads the whole file in order and hashes it: the values are valid only if
// the fingerprint is that of the written file.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/precision.h"
#include "core/real.h"
#include "train/storage/durable_files.h"
#include "train/storage/safetensors_header.h"

namespace calque {

class CompactMatrix;

struct NamedTensor {  // values to be written
  std::string name;
  std::vector<int64_t> shape;
  std::span<const real> values;
  std::span<const int8_t> integers = {};  // instead of the values
  // Instead of the values: BF16, or I8 with a second tensor NAME.scale of type F16. Integers of 4
  // bits are of type U8, two adjacent ones of a row in a byte.
  const CompactMatrix* compact = nullptr;
};

struct TensorSlot {  // values to be read
  std::string name;
  std::vector<int64_t> shape;
  std::span<real> values;
  CompactMatrix* compact = nullptr;  // instead of the values: they are rounded while they are read
};

// Writes a new file, with the tensors in the given order, and syncs it.
Fingerprint write_safetensors(FileSystem& files, const std::string& path,
                              std::span<const NamedTensor> tensors,
                              const std::map<std::string, std::string>& metadata = {});

class SafetensorsFile {
 public:
  SafetensorsFile(FileSystem& files, std::string path);

  const TensorTable& table() const { return table_; }
  uint64_t size() const { return file_.size(); }

  // Reads the whole file. Converts the values of the wanted tensors to real and stores them in
  // their slots; reads all other bytes only for the digest. Requires each wanted tensor to be in
  // the file with the shape of its slot; throws an Error if it is not of floating-point numbers. A
  // matrix NAME of type I8, or U8 for 4 bits, is multiplied by the numbers of NAME.scale, one for
  // each row, for each column, or for each 32 numbers of a row or a column.
  Fingerprint read(std::span<const TensorSlot> wanted) const;

 private:
  InputFile file_;
  TensorTable table_;
};

// The form in which matrices of the file are stored: q4_0, int8 or q8_0 if some are integers with
// scales, else bfloat16 if some are, else full.
Precision stored_precision(const TensorTable& table);

// Why the table has no tensor that fits the slot; nothing if it has one.
std::optional<std::string> mismatch(const TensorTable& table, const TensorSlot& wanted);

// The differences between the tensors of a file and these slots, one line each; empty if they
// match. At most `limit` lines; if there are more, the last line counts those left out.
std::vector<std::string> differences(const TensorTable& table, std::span<const TensorSlot> wanted,
                                     size_t limit = 8);

// The name of the first tensor with a value that is infinite or not a number.
std::optional<std::string> first_not_finite(std::span<const NamedTensor> tensors);
std::optional<std::string> first_not_finite(std::span<const TensorSlot> tensors);

}  // namespace calque
