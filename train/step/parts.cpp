// The forward and backward pass of a part of a step, in slices that threads compute side by side,
// and the memory that a step needs.
#include <algorithm>
#include <utility>

#include "core/flat_gradient.h"
#include "core/memory/pool.h"
#include "core/products/blas.h"
#include "core/stopwatch.h"
#include "core/threads/parallel.h"
#include "train/settings.h"
#include "train/step/learner.h"

namespace calque {
namespace {

SummedLoss forward(const Work& work) {
  const Phase phase("forward");
  return work.forward();
}

void run_backward(const SummedLoss& loss) {
  const Phase phase("backward");
  backward(loss.loss);
}

// In a profile, whose ops run one after another, the slices run in turn and each uses all threads.
int64_t slices_at_once(int64_t slices) {
  return Profile::current() ? 1 : std::min<int64_t>(slices, threads());
}

template <class Body>
void for_slices(int64_t slices, const Body& body) {
  if (slices_at_once(slices) > 1) return for_groups(slices, body);
  for (int64_t slice = 0; slice < slices; ++slice) body(slice);
}

}  // namespace

Learner::Part& Learner::Part::operator+=(const Part& other) {
  sums += other.sums;
  flops += other.flops;
  finite = std::min(finite, other.finite);
  return *this;
}

// Each tape of a step has its own number, which does not depend on the other parts and determines
// its dropout. The gradient of a slice is the sum over all micro-batches.
Learner::Part Learner::run_part(std::span<const std::unique_ptr<Work>> works, int64_t part,
                                int64_t step, Tape::Check check, Buffer<real>& gradient) {
  const auto [slices, chunks] = division_;
  const int64_t pieces = slices * chunks;
  std::vector<std::vector<Chunk>> work_of(static_cast<size_t>(slices));
  int64_t first_tape = part * std::ssize(works) * pieces;
  for (const auto& work : works) {
    Works split;
    if (pieces > 1) split = work->split(pieces);
    if (pieces == 1) work_of[0].push_back({nullptr, work.get(), uint32_t(first_tape)});
    for (int64_t i = 0; i < std::ssize(split); ++i) {
      const Work* const chunk = split[i].get();
      work_of[i / chunks].push_back({std::move(split[i]), chunk, uint32_t(first_tape + i)});
    }
    first_tape += pieces;
  }
  const Stopwatch all;
  if (!joins()) {
    const CpuStopwatch alone;
    const Part whole = run_chunks(work_of[0], step, check);
    times_.slices += all.seconds();
    times_.busy += alone.seconds();
    return whole;
  }
  GradientTree tree(slices);
  std::vector<Part> results(static_cast<size_t>(slices));
  std::vector<double> busy(static_cast<size_t>(slices));
  for_slices(slices, [&](int64_t slice) {
    const CpuStopwatch alone;
    FlatGradient own(parameters_, blocks_.size());
    {
      const FlatGradient::Use use(own);
      results[slice] = run_chunks(work_of[slice], step, check);
    }
    tree.add(slice, std::move(own).numbers());
    busy[slice] = alone.seconds();
  });
  times_.slices += all.seconds();
  for (const double seconds : busy) times_.busy += seconds;
  const Stopwatch summing;
  gradient = std::move(tree.sum());
  times_.update += summing.seconds();
  Part result;
  for (const Part& slice : results) result += slice;
  return result;
}

Learner::Part Learner::run_chunks(std::span<const Chunk> chunks, int64_t step,
                                  Tape::Check check) const {
  const ProductPrecision rounding(product_precision(training_));
  const double flops_before = counted_flops();
  Part result;
  for (const Chunk& chunk : chunks) {
    const Tape tape({static_cast<uint64_t>(training_.seed), static_cast<uint32_t>(step), chunk.tape,
                     dropout_share_},
                    check);
    const SummedLoss loss = forward(*chunk.work);
    run_backward(loss);
    result.sums += loss.sums();
  }
  result.flops = counted_flops() - flops_before;
  return result;
}

int64_t Learner::memory_of_step(const Work& work, const Division& division) {
  const ProductPrecision rounding(product_precision(training_));
  const Division before = std::exchange(division_, division);
  Works parts = work.split(division.slices * division.chunks);
  const auto tokens = [](const auto& part) { return part->size().tokens; };
  std::ranges::sort(parts, std::greater<>(), tokens);
  // With accumulation, the gradients of a chunk are held while the next chunk runs.
  const size_t together = std::min<size_t>(parts.size(), 2);
  const bool accumulates = training_.accumulation > 1;
  clear_gradients();
  reset_peak_memory();
  std::vector<Buffer<real>> held;
  const int64_t running = slices_at_once(division.slices);
  // Besides the gradient of the chunk that runs here.
  const int64_t others = GradientTree::buffers_for(division.slices, running) - 1 +
                         GradientTree::buffers_for(parts_of_rank(), 1) - 1;
  for (int64_t i = 0; joins() && i < others; ++i) held.emplace_back(blocks_.size());
  if (local()) held.emplace_back(blocks_.size());  // the weights before the updates
  for (const auto& state : state_of_locals()) held.emplace_back(std::ssize(state));
  std::optional<FlatGradient> gradient;
  std::optional<FlatGradient::Use> use;
  if (joins()) use.emplace(gradient.emplace(parameters_, blocks_.size()));
  const int64_t used = memory_statistics().used;
  for (size_t i = 0; i < (accumulates ? size_t{2} : together); ++i) {
    const Tape tape({static_cast<uint64_t>(training_.seed), 0, static_cast<uint32_t>(i)});
    run_backward(forward(*parts[std::min(i, parts.size() - 1)]));
  }
  const int64_t peak = memory_statistics().peak;
  clear_gradients();
  division_ = before;
  return peak + (running - 1) * (peak - used);
}

}  // namespace calque
