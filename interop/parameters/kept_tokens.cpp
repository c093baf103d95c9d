#include "interop/parameters/kept_tokens.h"

#include <algorithm>

#include "core/error.h"
#include "data/tokenizers/vocabulary.h"
#include "interop/parameters/filling_walk.h"

namespace calque {
namespace {

bool same_rows(const Tensor& table, int32_t a, int32_t b) {
  const auto row = [&](int32_t id) {
    return table.span().subspan(static_cast<size_t>(id * table.cols()),
                                static_cast<size_t>(table.cols()));
  };
  return std::ranges::equal(row(a), row(b));
}

}  // namespace

KeptTokens::KeptTokens(const LanguageModel& model) {
  const Tensor& bias = model.output.bias;
  const auto size = static_cast<int32_t>(model.options.vocabulary);
  for (int32_t id = 0; id < size; ++id) {
    const real logit = bias ? bias.data()[id] : 0;
    engine_ids_.push_back(static_cast<int32_t>(ids_.size()));
    if (logit == 0) ids_.push_back(id);
    const bool excluded = logit == absent_logit && (id == unknown_id || id == begin_id);
    if (logit != 0 && !excluded) {
      fail(
          "model.output_bias: token {} has a bias of {}, which this format cannot hold; numpy and "
          "safetensors can",
          id, logit);
    }
  }
  if (!bias) return;
  engine_ids_[begin_id] = engine_ids_[has(begin_id) ? begin_id : end_id];
  if (!has(begin_id) && !same_rows(model.embedding.weight, begin_id, end_id)) {
    fail(
        "model.output_bias: <s> and </s> were one token, and have been trained apart, which this "
        "format cannot hold; numpy and safetensors can");
  }
}

Tensor KeptTokens::rows(const Tensor& table) const {
  if (std::ssize(ids_) == table.rows()) return table;
  Tensor kept({std::ssize(ids_), table.cols()});
  real* to = kept.data();
  for (const int32_t id : ids_) {
    to = std::copy_n(table.data() + id * table.cols(), table.cols(), to);
  }
  return kept;
}

}  // namespace calque
