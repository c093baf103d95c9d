#include "train/tasks/masked_lm/evaluation.h"

#include <algorithm>
#include <array>
#include <memory>

#include "nn/layers/expert_load.h"
#include "train/tasks/evaluation.h"
#include "train/tasks/loss_metrics.h"
#include "train/tasks/masked_lm/filling.h"
#include "train/tasks/masked_lm/windows.h"

namespace calque {
namespace {

MaskedWindows fixed_windows(const Dataset& text, const Config& config, const Tokenizer& tokenizer) {
  Masking masking = masking_of(config, tokenizer);
  masking.seed = 0;
  return {text, config, WindowUse::evaluation, std::move(masking)};
}

// The loss of the chosen tokens whose masked id `counts`.
template <class Counts>
SummedLoss loss_where(const MaskedLm& model, std::span<const Example> windows,
                      double label_smoothing, Mode mode, double agreement, Counts counts) {
  const PackedExamples packed = pack(windows);
  const std::vector<int32_t>&ids = packed.columns[0], &originals = packed.columns[1];
  std::vector<int32_t> rows, expected;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (originals[i] == not_masked || !counts(ids[i])) continue;
    rows.push_back(static_cast<int32_t>(i));
    expected.push_back(originals[i]);
  }
  if (rows.empty() && mode == Mode::evaluate) return {};
  return summed(model.loss(ids, packed.segments, rows, expected, static_cast<real>(label_smoothing),
                           mode, static_cast<real>(agreement)));
}

}  // namespace

SummedLoss masked_loss(const MaskedLm& model, std::span<const Example> windows,
                       double label_smoothing, Mode mode, double agreement) {
  return loss_where(model, windows, label_smoothing, mode, agreement, [](int32_t) { return true; });
}

std::vector<std::pair<std::string, double>> MaskedEvaluation::values() const {
  auto values = loss_values(sums);
  values.emplace_back("mask_accuracy", behind_mask.terms > 0 ? mean_of(behind_mask).accuracy : 0.0);
  return values;
}

MaskedEvaluation evaluate_masked(const MaskedLm& model, const Dataset& text, const Config& config,
                                 const Tokenizer& tokenizer, BatchShare share) {
  const ExampleSet windows = window_examples(
      std::make_shared<const MaskedWindows>(fixed_windows(text, config, tokenizer)));
  const auto sums_of = [&](const ExampleBatch& batch, bool behind_mask) -> LossSums {
    const SummedLoss loss =
        loss_where(model, batch.examples, config.training.label_smoothing, Mode::evaluate, 0,
                   [&](int32_t id) { return (id == mask_id(tokenizer)) == behind_mask; });
    return loss.terms > 0 ? loss.sums() : LossSums();
  };
  auto sums = evaluate_in_order(windows, {.tokens = std::max<int64_t>(4096, config.data.context)},
                                share, [&](const ExampleBatch& batch) {
                                  return std::array{sums_of(batch, true), sums_of(batch, false)};
                                });
  share.join(sums);
  MaskedEvaluation evaluation;
  for (const auto& both : sums) {
    for (const LossSums& some : both) evaluation.sums += some;
    evaluation.behind_mask += both.front();
  }
  return evaluation;
}

std::vector<Sample> masked_samples(const MaskedLm& model, const Dataset& text, const Config& config,
                                   const Tokenizer& tokenizer, int64_t count) {
  const MaskedWindows windows = fixed_windows(text, config, tokenizer);
  count = std::min(count, windows.count());
  const ExpertLoad not_counted;
  std::vector<Sample> samples;
  std::vector<int32_t> ids, expected;
  for (int64_t i = 0; i < count; ++i) {
    windows.read(0, i * windows.count() / count, ids, expected);
    std::vector<int32_t> original = ids, filled = ids;
    std::vector<int32_t> rows;
    for (size_t t = 0; t < ids.size(); ++t) {
      if (expected[t] != not_masked) original[t] = expected[t];
      if (ids[t] == mask_id(tokenizer)) rows.push_back(static_cast<int32_t>(t));
    }
    if (!rows.empty()) {
      const auto found = fill_rows(model, tokenizer, ids, rows, 1);
      for (size_t k = 0; k < rows.size(); ++k) {
        filled[static_cast<size_t>(rows[k])] = found[k].front().id;
      }
    }
    samples.push_back({masked_text(tokenizer, ids), masked_text(tokenizer, original),
                       masked_text(tokenizer, filled)});
  }
  return samples;
}

}  // namespace calque
