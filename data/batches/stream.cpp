#include "data/batches/stream.h"

#include <algorithm>
#include <chrono>

#include "core/error.h"

namespace calque {
namespace {

constexpr size_t batches_ahead = 16;

// Some part with examples must have no limit of epochs, or the stream would end.
void require_endless(std::span<const SharedRange> parts) {
  const bool endless = std::ranges::any_of(
      parts, [](const SharedRange& part) { return part.share.epochs == 0 && part.count > 0; });
  if (endless) return;
  std::string names;
  for (const SharedRange& part : parts) {
    if (part.share.epochs == 0) names += (names.empty() ? "" : ", ") + part.name;
  }
  fail("{}: no example is left after the last epoch of the other corpora", names);
}

// The plan of the state's epoch, or of the first later epoch with batches: with weights below 1 a
// small corpus may have an empty epoch.
BatchPlan plan_at(const ExampleSet& set, const BatchOptions& options, StreamState& at) {
  constexpr int64_t most_empty = 10'000;  // enough for a single example of weight 0.0001
  for (int64_t empty = 0; empty <= most_empty; ++empty, ++at.epoch) {
    BatchPlan plan(set.costs, set.parts, options, at.epoch);
    if (plan.size() > 0) return plan;
  }
  fail("{}: {} epochs without an example; raise the weights of the corpora", set.parts.front().name,
       most_empty);
}

ExampleBatch read_batch(const ExampleSet& set, std::span<const uint32_t> numbers, int64_t epoch) {
  ExampleBatch batch;
  batch.numbers.assign(numbers.begin(), numbers.end());
  batch.examples.resize(numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) set.read(epoch, numbers[i], batch.examples[i]);
  return batch;
}

StreamState next_state(StreamState at, int64_t epoch_size) {
  if (++at.position < epoch_size) return at;
  return {.epoch = at.epoch + 1, .position = 0};
}

}  // namespace

BatchStream::BatchStream(ExampleSet set, const BatchOptions& options, StreamState from)
    : set_(std::move(set)), options_(options), state_(from) {
  require_endless(set_.parts);
  require_fit(set_.costs, options_, set_.where);
  BatchPlan plan = plan_at(set_, options_, from);
  epoch_size_ = plan.size();
  if (from.position < 0 || from.position >= epoch_size_) {
    constexpr auto reason = "the data or the batch size has changed";
    fail("cannot resume at batch {} of epoch {}, which has {} batches: {}", from.position,
         from.epoch, epoch_size_, reason);
  }
  thread_ = std::thread(&BatchStream::prepare, this, std::move(plan), from);
}

BatchStream::~BatchStream() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

ExampleBatch BatchStream::next() {
  std::unique_lock lock(mutex_);
  if (ready_.empty() && !failure_) {
    const auto start = std::chrono::steady_clock::now();
    changed_.wait(lock, [this] { return !ready_.empty() || failure_; });
    wait_seconds_ +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  if (ready_.empty()) std::rethrow_exception(failure_);
  Prepared prepared = std::move(ready_.front());
  ready_.pop_front();
  lock.unlock();
  changed_.notify_all();
  state_ = prepared.after;
  epoch_size_ = prepared.epoch_size;
  return std::move(prepared.batch);
}

double BatchStream::epochs() const {
  return static_cast<double>(state_.epoch) +
         static_cast<double>(state_.position) / static_cast<double>(epoch_size_);
}

void BatchStream::prepare(BatchPlan plan, StreamState at) {
  try {
    while (true) {
      const int64_t epoch = at.epoch;
      ExampleBatch batch = read_batch(set_, plan.batch(at.position), epoch);
      at = next_state(at, plan.size());
      if (!hand_over({.batch = std::move(batch), .after = at, .epoch_size = plan.size()})) return;
      if (at.epoch != epoch) plan = plan_at(set_, options_, at);
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
  }
  changed_.notify_all();
}

// Waits until the queue has room. Returns false if the stream is being destroyed.
bool BatchStream::hand_over(Prepared prepared) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stop_ || ready_.size() < batches_ahead; });
  if (stop_) return false;
  ready_.push_back(std::move(prepared));
  lock.unlock();
  changed_.notify_all();
  return true;
}

}  // namespace calque
