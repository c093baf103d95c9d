// Runs one save at a time on a thread of its own; std::future returns its Error.
#include "train/storage/checkpoint_writer.h"

#include <algorithm>
#include <chrono>
#include <csignal>

#include "core/error.h"
#include "core/threads/parallel.h"

namespace calque {
namespace {

// Signals go to the training thread, which decides when to stop.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

real* copy(std::span<const real> from, real* to) {
  constexpr int64_t slice = 1 << 18;
  parallel_for(std::ssize(from), slice, [&](int64_t begin, int64_t end) {
    std::copy(from.begin() + begin, from.begin() + end, to + begin);
  });
  return to + from.size();
}

// Runs an action after a checkpoint is on the disk: a failure of the action must not fail the save.
template <class Action>
void attempt(std::vector<std::string>& complaints, Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    complaints.emplace_back(error.what());
  }
}

}  // namespace

// Copies adjacent tensors in one call; nearly all parameters are adjacent in memory.
void CheckpointWriter::Snapshot::take(std::span<const NamedTensor> tensors) {
  size_t total = 0;
  for (const NamedTensor& tensor : tensors) total += tensor.values.size();
  values_.resize(total);
  tensors_.assign(tensors.begin(), tensors.end());
  real* to = values_.data();
  std::span<const real> together;
  for (NamedTensor& tensor : tensors_) {
    if (tensor.values.data() != together.data() + together.size()) {
      to = copy(together, to);
      together = tensor.values.first(0);
    }
    together = {together.data(), together.size() + tensor.values.size()};
    tensor.values = {to + together.size() - tensor.values.size(), tensor.values.size()};
  }
  copy(together, to);
}

CheckpointWriter::~CheckpointWriter() {
  if (under_way_.valid()) under_way_.wait();
}

void CheckpointWriter::save(std::span<const NamedTensor> model,
                            std::span<const NamedTensor> optimizer, CheckpointJob job) {
  finish();
  model_.take(model);
  optimizer_.take(optimizer);
  start(std::move(job), [this](const TrainingState& state) {
    checkpoints_.save(model_.tensors(), optimizer_.tensors(), state);
  });
}

void CheckpointWriter::save_state(CheckpointJob job) {
  finish();
  start(std::move(job), [this](const TrainingState& state) { checkpoints_.save_state(state); });
}

void CheckpointWriter::start(CheckpointJob job, std::function<void(const TrainingState&)> write) {
  under_way_ =
      std::async(std::launch::async, [this, write = std::move(write), job = std::move(job)] {
        block_signals();
        write(job.state);
        tidy(job);
      });
}

bool CheckpointWriter::ended() const {
  return under_way_.valid() &&
         under_way_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

void CheckpointWriter::tidy(const CheckpointJob& job) {
  const int64_t step = job.state.step;
  attempt(complaints_, [&] { checkpoints_.link("last", step); });
  if (job.best) attempt(complaints_, [&] { checkpoints_.link("best", *job.best); });
  attempt(complaints_, [&] { checkpoints_.prune(step, job.keep_last, job.keep_steps); });
}

void CheckpointWriter::finish() {
  if (under_way_.valid()) under_way_.get();
}

std::vector<std::string> CheckpointWriter::take_complaints() {
  return std::exchange(complaints_, {});
}

}  // namespace calque
