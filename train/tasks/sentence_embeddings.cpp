#include "train/tasks/sentence_embeddings.h"

#include <algorithm>
#include <cmath>

#include "core/tape.h"
#include "train/tasks/classification/work.h"

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
                                                   const std::vector<EncodedText>& texts) {
  const NoGradient nothing_recorded;
  std::vector<std::vector<real>> all;
  for_each_batch(texts, [&](const PackedTexts& batch) {
    const Tensor hidden = encoder(batch.ids, batch.kinds, batch.segments, Mode::evaluate);
    const Tensor means = mean_of_segments(hidden, batch.segments);
    for (int64_t i = 0; i < means.rows(); ++i) {
      all.push_back(unit_vector(means.data() + i * means.cols(), means.cols()));
    }
  });
  return all;
}

}  // namespace calque
