#include "train/tasks/sentence_embeddings.h"

#include <algorithm>
#include <cmath>

#include "train/tasks/classes/evaluation.h"
#include "train/tasks/evaluation.h"

namespace calque {
namespace {

std::vector<real> unit_vector(const real* row, int64_t size) {
  std::vector<real> vector(row, row + size);
  double squares = 0;
  for (const real x : vector) squares += static_cast<double>(x) * static_cast<double>(x);
  const double norm = std::max(std::sqrt(squares), 1e-12);
  for (real& x : vector) x = static_cast<real>(static_cast<double>(x) / norm);
  return vector;
}

}  // namespace

std::vector<std::vector<real>> sentence_embeddings(const Encoder& encoder,
                                                   const std::vector<Example>& texts) {
  BatchShare whole;
  std::vector<std::vector<real>> all;
  evaluate_in_order(
      example_set(texts), {.tokens = class_batch_tokens}, whole, [&](const ExampleBatch& batch) {
        const PackedExamples packed = pack(batch.examples);
        const Tensor means = mean_of_segments(
            encoder(packed.columns[0], packed.columns[1], packed.segments, Mode::evaluate),
            packed.segments);
        for (int64_t i = 0; i < means.rows(); ++i) {
          all.push_back(unit_vector(means.data() + i * means.cols(), means.cols()));
        }
        return means.rows();
      });
  return all;
}

}  // namespace calque
