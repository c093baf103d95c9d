#include "train/tasks/example_works.h"

#include <algorithm>
#include <set>

namespace calque {

ExampleWorks::ExampleWorks(const ExampleSet& set, std::vector<int32_t> sizes,
                           const BatchOptions& options, StreamPosition from, MakeWork make)
    : set_(set),
      sizes_(std::move(sizes)),
      options_(options),
      make_(std::move(make)),
      stream_(set, options, {from.epoch, from.position}) {}

StreamPosition ExampleWorks::position() const {
  const StreamState state = stream_.state();
  return {state.epoch, state.position};
}

bool ExampleWorks::same_data(int64_t epoch, int64_t other) const {
  return std::ranges::all_of(set_.parts, [&](const SharedRange& part) {
    return part.share.has(epoch) == part.share.has(other);
  });
}

std::vector<EpochSize> ExampleWorks::epoch_sizes() const {
  std::set<int64_t> changes = {0};
  for (const SharedRange& part : set_.parts) {
    if (part.share.epochs > 0) changes.insert(part.share.epochs);
  }
  std::vector<EpochSize> sizes;
  for (const int64_t epoch : changes) {
    const BatchPlan batches = plan(epoch);
    EpochSize& size = sizes.emplace_back(EpochSize{.epoch = epoch, .works = batches.size()});
    for (int64_t i = 0; i < batches.size(); ++i) size.examples += std::ssize(batches.batch(i));
  }
  return sizes;
}

std::unique_ptr<Work> ExampleWorks::largest() const {
  const BatchPlan batches = plan(0);
  int64_t chosen = 0, most = -1;
  for (int64_t i = 0; i < batches.size(); ++i) {
    int64_t tokens = 0;
    for (const uint32_t example : batches.batch(i)) tokens += sizes_[example];
    if (tokens > most) chosen = i, most = tokens;
  }
  ExampleBatch batch;
  for (const uint32_t example : batches.batch(chosen)) {
    set_.read(0, example, batch.examples.emplace_back());
    batch.numbers.push_back(example);
  }
  return make_(batch);
}

}  // namespace calque
