#include "decode/inspection/attribution.h"

#include <algorithm>

#include "core/error.h"
#include "core/tape.h"
#include "decode/inspection/residual_stream.h"

namespace calque {
namespace {

Tensor embedding_leaf(const LanguageModel& model, std::span<const int32_t> ids) {
  const NoGradient nothing_recorded;
  return variable(model.embedding(ids));
}

}  // namespace

std::vector<real> attribution(const LanguageModel& model, std::span<const int32_t> ids,
                              int32_t token) {
  const Segments segments = equal_texts(1, std::ssize(ids));
  const Tensor input = embedding_leaf(model, ids);
  Tape tape;
  const Tensor last = last_state(model, model.positions(input, segments), 0, segments);
  backward(slice_cols(logits_of(model, ends_of(last, segments)), token, token + 1));
  const std::span<const real> gradient = input.gradient().span();
  std::vector<real> products;
  for (int64_t t = 0; t < input.rows(); ++t) {
    real product = 0;
    for (int64_t i = t * input.cols(); i < (t + 1) * input.cols(); ++i) {
      product += gradient[i] * input.data()[i];
    }
    products.push_back(product);
  }
  return products;
}

ExplainedMatrix attributions(const LanguageModel& model, std::span<const int32_t> text,
                             int64_t outputs) {
  const int64_t read = std::ssize(text) - 1;
  require(outputs >= 0 && outputs <= read, "attributions: {} outputs of {} tokens", outputs,
          text.size());
  ExplainedMatrix matrix{outputs, read, std::vector<float>(static_cast<size_t>(outputs * read))};
  for (int64_t i = 0; i < outputs; ++i) {
    const int64_t before = read - outputs + i + 1;
    const std::vector<real> row =
        attribution(model, text.first(static_cast<size_t>(before)), text[before]);
    std::ranges::transform(row, matrix.values.begin() + i * read,
                           [](real number) { return static_cast<float>(number); });
  }
  return matrix;
}

}  // namespace calque
