#pragma once
// The matrices of a safetensors file that have fewer bits than real: BF16, and integers that are
// multiplied by the numbers of a second tensor, NAME.scale.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "train/storage/durable_files.h"
#include "train/storage/safetensors.h"
#include "train/storage/safetensors_header.h"

namespace calque {

bool all_finite(std::span<const real> values);

// The type of a tensor in a file that is written.
const ElementType& stored_type(const NamedTensor& tensor);
// The shape of a matrix that is stored in a type: two integers of 4 bits share a byte.
std::vector<int64_t> stored_shape(std::vector<int64_t> matrix, const ElementType& type);
// Writes the numbers of tensor.compact, some rows at a time, and its scales.
void write_compact(OutputFile& file, const NamedTensor& tensor);

// The scales of a matrix of integers with a shape, NAME.scale; nullptr if there are none.
const TensorEntry* scales_of(const TensorTable& table, const TensorEntry& matrix,
                             const std::vector<int64_t>& shape);

// Reads the bytes that follow in a file.
using ReadNext = std::function<void(std::span<std::byte>)>;
// Reads a matrix that is stored or wanted in fewer bits. Numbers that are stored in the form that
// is wanted are taken as they are. `next` reads the matrix, `file` its scales.
void read_matrix(const InputFile& file, const TensorTable& table, const TensorEntry& matrix,
                 const TensorSlot& to, const ReadNext& next);

}  // namespace calque
