#include "train/tasks/example_works.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace calque {
namespace {

std::vector<int64_t> equal_chunks(int64_t examples, int64_t chunks) {
  const int64_t each = (examples + chunks - 1) / chunks;
  std::vector<int64_t> begins;
  for (int64_t first = 0; first < examples; first += each) begins.push_back(first);
  return begins;
}

}  // namespace

PackedExamples pack(std::span<const Example> examples) {
  PackedExamples packed;
  for (const Example& example : examples) {
    packed.columns.resize(example.size());
    for (size_t column = 0; column < example.size(); ++column) {
      std::vector<int32_t>& all = packed.columns[column];
      all.insert(all.end(), example[column].begin(), example[column].end());
    }
    packed.segments.append(static_cast<int32_t>(example.front().size()));
  }
  return packed;
}

ExampleSet example_set(const std::vector<Example>& examples) {
  ExampleSet set;
  for (const Example& each : examples) set.costs.push_back(static_cast<int32_t>(each[0].size()));
  set.read = [&examples](int64_t, int64_t number, Example& out) {
    out = examples[static_cast<size_t>(number)];
  };
  return set;
}

ExampleBatch read_batch(const ExampleSet& set, std::span<const uint32_t> numbers) {
  ExampleBatch batch;
  for (const uint32_t number : numbers) {
    set.read(0, number, batch.examples.emplace_back());
    batch.numbers.push_back(number);
  }
  return batch;
}

WorkSize ExampleWork::size() const {
  WorkSize size{.examples = std::ssize(batch_.examples)};
  for (size_t i = 0; i < batch_.examples.size(); ++i) {
    size.tokens += training_->tokens ? training_->tokens(batch_.examples[i])
                                     : training_->set.costs[static_cast<size_t>(batch_.numbers[i])];
  }
  return size;
}

Works ExampleWork::split(int64_t chunks) const {
  const auto& [examples, numbers] = batch_;
  std::vector<int64_t> begins = training_->chunk_begins
                                    ? training_->chunk_begins(examples, chunks)
                                    : equal_chunks(std::ssize(examples), chunks);
  begins.push_back(std::ssize(examples));
  Works works;
  for (size_t i = 0; i + 1 < begins.size(); ++i) {
    const int64_t first = begins[i], last = begins[i + 1];
    works.push_back(std::make_unique<ExampleWork>(
        training_, ExampleBatch{{examples.begin() + first, examples.begin() + last},
                                {numbers.begin() + first, numbers.begin() + last}}));
  }
  return works;
}

std::string ExampleWork::where() const {
  if (training_->where) return training_->where(batch_.numbers);
  constexpr size_t most = 8;
  std::vector<std::string> places;
  for (const int64_t number : batch_.numbers) {
    std::string place = training_->set.where(number);
    if (std::ranges::count(places, place) == 0) places.push_back(std::move(place));
  }
  const size_t shown = std::min(most, places.size()), hidden = places.size() - shown;
  return fmt::format("{}{}", fmt::join(std::span(places).first(shown), "; "),
                     hidden > 0 ? fmt::format(" and {} more", hidden) : "");
}

ExampleWorks::ExampleWorks(ExampleTraining training, const BatchOptions& options,
                           StreamPosition from)
    : training_(std::make_shared<const ExampleTraining>(std::move(training))),
      options_(options),
      stream_(training_->set, options, {from.epoch, from.position}) {}

BatchPlan ExampleWorks::plan(int64_t epoch) const {
  return {training_->set.costs, training_->set.parts, options_, epoch};
}

std::unique_ptr<Work> ExampleWorks::next() {
  return std::make_unique<ExampleWork>(training_, stream_.next());
}

StreamPosition ExampleWorks::position() const {
  const StreamState state = stream_.state();
  return {state.epoch, state.position};
}

bool ExampleWorks::same_data(int64_t epoch, int64_t other) const {
  return std::ranges::all_of(training_->set.parts, [&](const SharedRange& part) {
    return part.share.has(epoch) == part.share.has(other);
  });
}

std::vector<EpochSize> ExampleWorks::epoch_sizes() const {
  std::set<int64_t> changes = {0};
  for (const SharedRange& part : training_->set.parts) {
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
  const std::vector<int32_t>& sizes =
      training_->sizes.empty() ? training_->set.costs : training_->sizes;
  const BatchPlan batches = plan(0);
  int64_t chosen = 0, most = -1;
  for (int64_t i = 0; i < batches.size(); ++i) {
    int64_t tokens = 0;
    for (const uint32_t example : batches.batch(i)) tokens += sizes[example];
    if (tokens > most) chosen = i, most = tokens;
  }
  return std::make_unique<ExampleWork>(training_,
                                       read_batch(training_->set, batches.batch(chosen)));
}

}  // namespace calque
