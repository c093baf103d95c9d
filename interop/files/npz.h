#pragma once
// .npz files: uncompressed zip archives with one .npy file (version 1.0) per array. NumPy reads
// them with numpy.load, and Marian stores its models in them.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"

namespace calque {

struct NpyArray {
  std::string name;          // without .npy
  std::string type = "<f4";  // NumPy's: little-endian floats of 4 bytes; "|i1": bytes
  std::vector<int64_t> shape = {};
  std::string bytes = {};  // in row-major order

  bool operator==(const NpyArray&) const = default;
};

NpyArray npy_array(const std::string& name, const Tensor& tensor);

// Throws an Error above 4 GB, the limit of an archive without 64-bit sizes.
std::string npz_bytes(std::span<const NpyArray> arrays, const std::string& place);
// The arrays of an archive that npz_bytes(), Marian or numpy.savez wrote. Throws an Error that
// names `place` if the bytes are no such archive, or are damaged.
std::vector<NpyArray> parse_npz(std::string_view bytes, const std::string& place);

}  // namespace calque
