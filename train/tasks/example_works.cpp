#include "train/tasks/example_works.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace calque {

std::string origins_of(std::span<const int64_t> numbers,
                       const std::function<std::string(int64_t)>& where) {
  constexpr size_t most = 8;
  std::vector<std::string> places;
  for (const int64_t number : numbers) {
    std::string place = where(number);
    if (std::ranges::count(places, place) == 0) places.push_back(std::move(place));
  }
  const size_t shown = std::min(most, places.size()), hidden = places.size() - shown;
  return fmt::format("{}{}", fmt::join(std::span(places).first(shown), "; "),
                     hidden > 0 ? fmt::format(" and {} more", hidden) : "");
}

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
