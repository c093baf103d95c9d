#include "decode/search/batches.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <mutex>
#include <numeric>

#include "core/error.h"
#include "core/products/packed_weights.h"
#include "core/threads/parallel.h"
#include "decode/search/next_tokens.h"

namespace calque {
namespace {

class Ensemble final : public StepDecoder {
 public:
  Ensemble(std::span<const DecodingModel> models, std::span<const size_t> items) {
    for (const DecodingModel& model : models) decoders_.push_back(model.start(items));
  }

  Tensor step(const DecodingStep& step) override {
    std::vector<Tensor> each;
    for (const std::unique_ptr<StepDecoder>& decoder : decoders_) {
      each.push_back(decoder->step(step));
    }
    return mean_of_probabilities(each);
  }

  // The mean of probabilities among some tokens would depend on these tokens.
  bool limit_outputs(std::span<const int32_t> outputs, int64_t rows) override {
    return decoders_.size() == 1 && decoders_.front()->limit_outputs(outputs, rows);
  }

 private:
  std::vector<std::unique_ptr<StepDecoder>> decoders_;
};

// The indices of the items by falling length of the input: items of one batch then end at about the
// same time.
std::vector<size_t> longest_first(std::span<const DecodingItem> items) {
  std::vector<size_t> indices(items.size());
  std::iota(indices.begin(), indices.end(), size_t{0});
  std::ranges::stable_sort(indices, std::greater<>(), [&](size_t i) { return items[i].input; });
  return indices;
}

// Packs the weights once if a step has so many rows that each product would otherwise pack them.
PackedWeights packed_for(std::span<const DecodingModel> models, std::span<const DecodingItem> items,
                         const std::vector<std::vector<size_t>>& batches, int64_t hypotheses) {
  size_t most = 0;
  for (const std::vector<size_t>& batch : batches) most = std::max(most, batch.size());
  const bool whole_output =
      std::ranges::any_of(items, [](const DecodingItem& item) { return item.outputs.empty(); });
  std::vector<Matrix> weights;
  if (PackedWeights::worthwhile(static_cast<int64_t>(most) * hypotheses)) {
    for (const DecodingModel& model : models) {
      std::ranges::copy(model.right_sides, std::back_inserter(weights));
      if (whole_output) std::ranges::copy(model.output_right_sides, std::back_inserter(weights));
    }
  }
  return PackedWeights(weights);
}

// How many tokens every model can read for an item.
int64_t positions_of(std::span<const DecodingModel> models, size_t item) {
  int64_t positions = std::numeric_limits<int64_t>::max();
  for (const DecodingModel& model : models) {
    if (!model.positions.empty()) positions = std::min(positions, model.positions[item]);
  }
  return positions;
}

}  // namespace

void check(std::span<const DecodingModel> models, std::span<const DecodingItem> items) {
  require(!models.empty(), "decoding: no model");
  const int64_t vocabulary = models[0].vocabulary;
  for (const DecodingModel& model : models) {
    require(model.vocabulary == vocabulary,
            "decoding: models with vocabularies of {} and {} tokens", vocabulary, model.vocabulary);
    require(model.positions.empty() || model.positions.size() == items.size(),
            "decoding: positions of {} items for {} items", model.positions.size(), items.size());
  }
  const auto check_id = [&](int32_t id) {
    require(id >= 0 && id < vocabulary,
            "decoding: token {} of an item is not in the vocabulary of {}", id, vocabulary);
  };
  for (const DecodingItem& item : items) {
    check_id(item.first);
    std::ranges::for_each(item.prefix, check_id);
    std::ranges::for_each(item.context, check_id);
  }
}

std::vector<DecodingItem> within_positions(std::span<const DecodingModel> models,
                                           std::span<const DecodingItem> asked, bool last_is_read) {
  std::vector<DecodingItem> items(asked.begin(), asked.end());
  for (size_t i = 0; i < items.size(); ++i) {
    DecodingItem& item = items[i];
    const int64_t room = positions_of(models, i) - (last_is_read ? 1 : 0);
    item.longest = std::max(std::min(item.longest, room), std::ssize(item.prefix));
    item.shortest = std::min(item.shortest, item.longest);
    item.expected = std::min(item.expected, room);
  }
  return items;
}

// Batches of about equal work. If there are more than two and enough items, their number is a
// multiple of four, so that two or four threads finish together.
std::vector<std::vector<size_t>> batches_of(std::span<const DecodingItem> items, int64_t hypotheses,
                                            int64_t batch_tokens) {
  const auto work = [&](const DecodingItem& item) {
    return item.prefill + (item.expected + 1) * hypotheses;
  };
  int64_t total = 0;
  for (const DecodingItem& item : items) total += work(item);
  int64_t count = (total + batch_tokens - 1) / batch_tokens;
  if (count > 2) count = (count + 3) / 4 * 4;
  std::vector<std::vector<size_t>> batches;
  int64_t tokens = 0;
  for (const size_t index : longest_first(items)) {
    if (tokens * count >= std::ssize(batches) * total) batches.emplace_back();
    batches.back().push_back(index);
    tokens += work(items[index]);
  }
  return batches;
}

void for_batches(std::span<const DecodingModel> models, std::span<const DecodingItem> items,
                 int64_t hypotheses, int64_t batch_tokens, const BatchSelection& which,
                 const std::function<void(int64_t)>& done,
                 const std::function<void(std::span<const size_t>)>& decode) {
  const std::vector<std::vector<size_t>> batches = batches_of(items, hypotheses, batch_tokens);
  const PackedWeights packed = packed_for(models, items, batches, hypotheses);
  std::mutex mutex;
  int64_t finished = 0;
  const int64_t count = (std::ssize(batches) - which.first + which.step - 1) / which.step;
  for_tasks(count, [&](int64_t task) {
    const int64_t number = which.first + task * which.step;
    const PackedWeights::Use use(packed);
    decode(batches[number]);
    const std::lock_guard lock(mutex);
    finished += std::ssize(batches[number]);
    if (done) done(finished);
  });
}

std::unique_ptr<StepDecoder> start_together(std::span<const DecodingModel> models,
                                            std::span<const size_t> items) {
  return std::make_unique<Ensemble>(models, items);
}

}  // namespace calque
