#include "train/tasks/masked_lm/evaluation.h"

#include <algorithm>
#include <array>

#include "core/tape.h"
#include "nn/layers/expert_load.h"
#include "train/tasks/loss_metrics.h"
#include "train/tasks/masked_lm/filling.h"
#include "train/tasks/masked_lm/work.h"

namespace calque {
namespace {

MaskedWindows fixed_windows(const Dataset& text, const Config& config, const Tokenizer& tokenizer) {
  Masking masking = masking_of(config, tokenizer);
  masking.seed = 0;
  return {text, config, WindowUse::evaluation, std::move(masking)};
}

// The sums over the chosen tokens that [MASK] replaces, and over the other chosen tokens.
std::array<LossSums, 2> sums_of(const MaskedLm& model, const PackedMasks& batch, int32_t mask,
                                real smoothing) {
  PackedMasks hidden = batch, shown = batch;
  for (size_t i = 0; i < batch.ids.size(); ++i) {
    (batch.ids[i] == mask ? shown : hidden).expected[i] = not_masked;
  }
  std::array<LossSums, 2> both;
  for (const PackedMasks* part : {&hidden, &shown}) {
    const auto [rows, expected] = part->targets();
    if (rows.empty()) continue;
    both[part == &hidden ? 0 : 1] =
        summed(model.loss(part->ids, part->segments, rows, expected, smoothing, Mode::evaluate))
            .sums();
  }
  return both;
}

}  // namespace

std::vector<std::pair<std::string, double>> MaskedEvaluation::values() const {
  auto values = loss_values(sums);
  values.emplace_back("mask_accuracy", behind_mask.terms > 0 ? mean_of(behind_mask).accuracy : 0.0);
  return values;
}

MaskedEvaluation evaluate_masked(const MaskedLm& model, const Dataset& text, const Config& config,
                                 const Tokenizer& tokenizer, BatchShare share) {
  const NoGradient nothing_recorded;
  const MaskedWindows windows = fixed_windows(text, config, tokenizer);
  const int64_t most = std::max<int64_t>(4096, config.data.context);
  const auto smoothing = static_cast<real>(config.training.label_smoothing);
  std::vector<std::array<LossSums, 2>> sums;
  std::vector<int32_t> ids, expected;
  for (int64_t next = 0; next < windows.count();) {
    PackedMasks batch;
    do {
      windows.read(0, next, ids, expected);
      batch.append(ids, expected);
    } while (++next < windows.count() && batch.segments.tokens() < most);
    sums.emplace_back();
    if (share.computes_next()) sums.back() = sums_of(model, batch, mask_id(tokenizer), smoothing);
  }
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
