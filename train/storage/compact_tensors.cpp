#include "train/storage/compact_tensors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "core/error.h"
#include "core/half_precision.h"
#include "core/products/compact/matrix.h"

namespace calque {
namespace {

constexpr int64_t block = CompactMatrix::block;

// How many rows, and how many columns, each scale of a matrix of integers is for.
struct Reach {
  int64_t rows, cols;
};

// All of them, one, or 32 of one of both. Nothing if the shape of the scales is another one.
std::optional<Reach> reach_of_scales(const std::vector<int64_t>& matrix,
                                     const std::vector<int64_t>& scales) {
  if (matrix.size() != 2) return std::nullopt;
  const int64_t rows = matrix[0], cols = matrix[1];
  const auto blocks = [](int64_t size) { return (size + block - 1) / block; };
  using Shape = std::vector<int64_t>;
  if (scales == Shape{rows, 1}) return Reach{1, cols};
  if (scales == Shape{1, cols}) return Reach{rows, 1};
  if (scales == Shape{blocks(rows), cols}) return Reach{block, 1};
  if (scales == Shape{rows, blocks(cols)}) return Reach{1, block};
  return std::nullopt;
}

// The type of the numbers of a compact form.
std::string_view type_name(Precision form) {
  return form == Precision::q8_0 ? "I8" : form == Precision::q4_0 ? "U8" : "BF16";
}

// The scales of a matrix of integers, in memory.
struct Scales {
  std::vector<real> numbers;
  Reach reach;
  int64_t stride;  // numbers in a row of scales
  bool halves;     // whether a byte has two integers

  Scales(const InputFile& file, const TensorTable& table, const TensorEntry& matrix,
         const TensorEntry& scales, const std::vector<int64_t>& shape)
      : numbers(scales.elements),
        reach(*reach_of_scales(shape, scales.shape)),
        stride(scales.shape[1]),
        halves(matrix.type->name == "U8") {
    std::vector<std::byte> bytes(scales.end - scales.begin);
    file.read(table.data_begin + scales.begin, bytes);
    scales.type->decode(bytes.data(), numbers);
  }

  const real* of_row(int64_t row) const { return numbers.data() + row / reach.rows * stride; }

  // Rows of integers, multiplied.
  void decode(int64_t first, int64_t count, std::span<const std::byte> rows,
              std::span<real> to) const {
    const size_t cols = to.size() / static_cast<size_t>(count);
    const size_t row_bytes = rows.size() / static_cast<size_t>(count);
    const int sign = halves ? 8 : 128;
    for (int64_t row = first; row < first + count; ++row) {
      const real* const factors = of_row(row);
      for (size_t i = 0; i < cols; ++i) {
        const auto byte = std::to_integer<int>(rows[halves ? i / 2 : i]);
        const int bits = halves && i % 2 == 0 ? byte & 15 : halves ? byte >> 4 : byte;
        to[i] =
            static_cast<real>((bits ^ sign) - sign) * factors[static_cast<int64_t>(i) / reach.cols];
      }
      rows = rows.subspan(row_bytes);
      to = to.subspan(cols);
    }
  }
};

// Whether numbers are stored in the form that is wanted, with a scale for the same ones.
bool stored_as(const CompactMatrix& wanted, const TensorEntry& matrix, const TensorEntry* scales) {
  if (matrix.type->name != type_name(wanted.form())) return false;
  return !wanted.has_scales() || (scales && scales->shape == wanted.scale_shape());
}

// Calls use(first, count, bytes) for each 32 rows of a matrix.
template <class Use>
void read_blocks(const TensorEntry& matrix, const TensorSlot& to, const ReadNext& next, Use&& use) {
  const int64_t rows = to.shape[0];
  const int64_t row_bytes = matrix.shape[1] * static_cast<int64_t>(matrix.type->bytes);
  std::vector<std::byte> bytes(static_cast<size_t>(std::min(block, rows) * row_bytes));
  for (int64_t first = 0; first < rows; first += block) {
    const int64_t count = std::min(block, rows - first);
    const auto part = std::span(bytes).first(static_cast<size_t>(count * row_bytes));
    next(part);
    use(first, count, std::span<const std::byte>(part));
  }
}

bool finite_halves(std::span<const std::byte> bfloat16) {
  unsigned beyond = 0;
  for (size_t i = 0; i + 1 < bfloat16.size(); i += 2) {
    uint16_t half;
    std::memcpy(&half, bfloat16.data() + i, sizeof half);
    beyond |= (half & 0x7F80U) == 0x7F80U;
  }
  return beyond == 0;
}

}  // namespace

bool all_finite(std::span<const real> values) {
  constexpr real largest = std::numeric_limits<real>::max();
  unsigned beyond = 0;  // without a branch, so that the loop vectorises
  for (const real value : values) beyond |= !(std::abs(value) <= largest);
  return beyond == 0;
}

const ElementType& stored_type(const NamedTensor& tensor) {
  if (tensor.compact) return *find_element_type(type_name(tensor.compact->form()));
  return tensor.integers.empty() ? element_type_of_real() : *find_element_type("I8");
}

std::vector<int64_t> stored_shape(std::vector<int64_t> matrix, const ElementType& type) {
  if (type.name == "U8" && matrix.size() == 2) matrix[1] = (matrix[1] + 1) / 2;
  return matrix;
}

void write_compact(OutputFile& file, const NamedTensor& tensor) {
  const CompactMatrix& matrix = *tensor.compact;
  const int64_t rows = tensor.shape[0], row_bytes = matrix.row_bytes();
  std::vector<std::byte> bytes(static_cast<size_t>(std::min(block, rows) * row_bytes));
  for (int64_t first = 0; first < rows; first += block) {
    const int64_t count = std::min(block, rows - first);
    matrix.copy_numbers(first, count, bytes.data());
    file.write(bytes_of(std::span(bytes).first(static_cast<size_t>(count * row_bytes))));
  }
  std::vector<uint16_t> halves;
  for (const real scale : matrix.scales_by_rows()) {
    halves.push_back(to_f16(static_cast<float>(scale)));
  }
  file.write(bytes_of(std::span<const uint16_t>(halves)));
}

const TensorEntry* scales_of(const TensorTable& table, const TensorEntry& matrix,
                             const std::vector<int64_t>& shape) {
  if (matrix.type->name != "I8" && matrix.type->name != "U8") return nullptr;
  const TensorEntry* scales = table.find(matrix.name + ".scale");
  const bool fit = scales && scales->type->decode &&
                   matrix.shape == stored_shape(shape, *matrix.type) &&
                   reach_of_scales(shape, scales->shape).has_value();
  return fit ? scales : nullptr;
}

void read_matrix(const InputFile& file, const TensorTable& table, const TensorEntry& matrix,
                 const TensorSlot& to, const ReadNext& next) {
  const TensorEntry* const found = scales_of(table, matrix, to.shape);
  std::optional<Scales> scales;
  if (found) scales.emplace(file, table, matrix, *found, to.shape);
  const auto require_finite = [&](bool finite) {
    if (!finite) {
      fail("{}: {} holds a value that is infinite or not a number", file.path(), matrix.name);
    }
  };
  if (to.compact && stored_as(*to.compact, matrix, found)) {
    require_finite(!scales || all_finite(scales->numbers));
    return read_blocks(matrix, to, next, [&](int64_t first, int64_t count, const auto& bytes) {
      require_finite(scales || finite_halves(bytes));
      to.compact->put_numbers(first, count, bytes.data(), scales ? scales->of_row(first) : nullptr);
    });
  }
  const int64_t cols = to.shape[1];
  std::vector<real> rounded(
      static_cast<size_t>(to.compact ? std::min(block, to.shape[0]) * cols : 0));
  read_blocks(matrix, to, next, [&](int64_t first, int64_t count, const auto& bytes) {
    const auto values =
        (to.compact ? std::span(rounded) : to.values.subspan(static_cast<size_t>(first * cols)))
            .first(static_cast<size_t>(count * cols));
    if (scales) {
      scales->decode(first, count, bytes, values);
    } else {
      matrix.type->decode(bytes.data(), values);
    }
    if (!to.compact) return;
    require_finite(all_finite(values));
    to.compact->put_rows(first, count, values.data());
  });
}

Precision stored_precision(const TensorTable& table) {
  const auto in_halves = [&](const TensorEntry& entry) {
    return entry.type->name == "U8" && table.find(entry.name + ".scale");
  };
  if (std::ranges::any_of(table.entries, in_halves)) return Precision::q4_0;
  Precision form = Precision::full;
  for (const TensorEntry& entry : table.entries) {
    if (entry.shape.size() != 2) continue;
    if (const TensorEntry* scales = scales_of(table, entry, entry.shape)) {
      const Reach reach = *reach_of_scales(entry.shape, scales->shape);
      const bool whole = reach.rows == entry.shape[0] || reach.cols == entry.shape[1];
      return whole ? Precision::int8 : Precision::q8_0;
    }
    if (entry.type->name == "BF16") form = Precision::bfloat16;
  }
  return form;
}

}  // namespace calque
