#include "train/weights/quantizing.h"

#include <cmath>
#include <vector>

#include "core/error.h"
#include "core/int8_weights.h"
#include "core/products/int8/matrix.h"
#include "train/weights/derived_run.h"
#include "train/weights/parameter_tensors.h"

namespace calque {
namespace {

// Sums of squares.
struct Squares {
  double difference = 0, numbers = 0;

  void add(std::span<const real> before, std::span<const real> after) {
    for (size_t i = 0; i < before.size(); ++i) {
      difference += std::pow(double(before[i]) - double(after[i]), 2);
      numbers += double(before[i]) * double(before[i]);
    }
  }
  Squares& operator+=(const Squares& other) {
    difference += other.difference;
    numbers += other.numbers;
    return *this;
  }
  double ratio() const { return numbers > 0 ? std::sqrt(difference / numbers) : 0; }
};

// The integers and scales of a rounded parameter, in the layout of the file.
struct StoredMatrix {
  std::vector<int8_t> integers;
  std::vector<real> scales;

  explicit StoredMatrix(const Parameters::Entry& entry) {
    const Int8Matrix& matrix = *entry.tensor.values().rounded();
    for (int64_t r = 0; r < entry.shape[0]; ++r) {
      for (int64_t c = 0; c < entry.shape[1]; ++c) {
        integers.push_back(matrix.flipped() ? matrix.integer(c, r) : matrix.integer(r, c));
      }
    }
    scales.assign(matrix.scales(), matrix.scales() + matrix.cols());
  }
};

}  // namespace

QuantizedRun quantize_weights(const std::string& place, const std::string& out,
                              const MakeTask& make_task) {
  require_new_run(out);
  const TrainedRun run = open_run(place, make_task);
  if (run.weights.int8) fail("{}: its weights are in int8 already", place);
  const Parameters& parameters = run.task->parameters();
  const std::vector<real> before(parameters.values().begin(), parameters.values().end());
  round_weights_to_int8(parameters);

  QuantizedRun result;
  Squares all;
  std::vector<StoredMatrix> stored;
  stored.reserve(parameters.entries().size());  // the tensors have windows into it
  std::vector<NamedTensor> tensors;
  for (const Parameters::Entry& entry : parameters.entries()) {
    const auto sizes = entry.shape.sizes();
    const std::vector<int64_t> shape(sizes.begin(), sizes.end());
    const std::span<const real> values = entry.values();
    result.bytes_before += std::ssize(values) * static_cast<int64_t>(sizeof(real));
    const Int8Matrix* const matrix = entry.tensor.values().rounded();
    if (!matrix) {
      tensors.push_back({entry.name, shape, values});
      result.bytes += std::ssize(values) * static_cast<int64_t>(sizeof(real));
      continue;
    }
    const auto own = std::span(before).subspan(static_cast<size_t>(entry.offset), values.size());
    Squares sums;
    sums.add(own, values);
    all += sums;
    if (result.worst_parameter.empty() || sums.ratio() > result.worst) {
      result.worst = sums.ratio();
      result.worst_parameter = entry.name;
    }
    const StoredMatrix& numbers = stored.emplace_back(entry);
    tensors.push_back({entry.name, shape, {}, numbers.integers});
    const auto count = std::ssize(numbers.scales);
    tensors.push_back(
        {entry.name + ".scale",
         matrix->flipped() ? std::vector<int64_t>{count, 1} : std::vector<int64_t>{1, count},
         numbers.scales});
    result.bytes += std::ssize(numbers.integers) + count * static_cast<int64_t>(sizeof(real));
  }
  result.rounding = all.ratio();
  TrainingState state = load_state(real_files(), run.weights.checkpoint);
  state.int8 = true;
  save_derived_run(run, out, tensors, state);
  return result;
}

}  // namespace calque
