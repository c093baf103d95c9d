#include "train/step/learner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/stopwatch.h"
#include "optim/gradient_norm.h"
#include "ranks/collectives.h"
#include "train/ranks/ranges.h"
#include "train/settings.h"

namespace calque {
namespace {

int64_t shared_parts(const Communicator& ranks, const TrainingConfig& training) {
  if (training.parts % ranks.ranks() != 0) {
    fail("training.parts: {} ranks cannot share {} parts; set it to {} or a multiple",
         ranks.ranks(), training.parts, ranks.ranks());
  }
  return training.parts;
}

std::vector<FlatRanges> updated_by(const Communicator& ranks, const FlatBlocks& blocks,
                                   const Parameters& parameters,
                                   const OptimizerSettings& settings) {
  if (ranks.ranks() == 1) return {whole_range(parameters)};
  const int64_t size = parameters.flat_size();
  std::vector<FlatRange> shares;
  for (int rank = 0; rank < ranks.ranks(); ++rank) {
    const Share share = share_of(ranks, rank, blocks.size());
    shares.push_back({std::min(share.begin, size), std::min(share.end, size)});
  }
  return Optimizer::divide(parameters, settings, shares);
}

}  // namespace

Learner::Learner(const TrainingConfig& training, Parameters& parameters, Communicator& ranks)
    : training_(training),
      parameters_(parameters),
      ranks_(ranks),
      blocks_(parameters, shared_parts(ranks, training)),
      updated_(updated_by(ranks, blocks_, parameters, joint_settings(training))),
      optimizer_(parameters, joint_settings(training), local() ? 0 : training.clip_norm,
                 updated_[static_cast<size_t>(ranks.rank())]),
      tree_(parts_of_rank(), training.exchange) {
  for (int64_t i = 0; local() && i < parts_of_rank(); ++i) {
    locals_.emplace_back(parameters, optimizer_settings(training), training.clip_norm);
  }
}

void Learner::initialise() { parameters_.initialise(static_cast<uint64_t>(training_.seed)); }

void Learner::start_averaging() {
  if (training_.ema > 0) average_.emplace(parameters_, weight_average_settings(training_));
}

StepOutcome Learner::step(const Works& works, int64_t step, double learning_rate,
                          real dropout_share) {
  const Phase whole("step");
  dropout_share_ = dropout_share;
  times_ = {};
  StepOutcome outcome;
  std::vector<Part> parts;
  const std::vector<std::vector<real>> before = state_of_locals();
  forward_backward(works, step, learning_rate, Tape::Check::none, parts);
  bool finite = true;
  for (const Part& part : all_gather(ranks_, std::span<const Part>(parts))) {
    outcome.sums += part.sums;
    outcome.flops += part.flops;
    finite = finite && part.finite != 0;
  }
  if (finite && ranks_.ranks() > 1) {
    const Phase phase("exchange");
    sum_shares(ranks_, span_of(tree_.sum()), training_.exchange);
  }
  const Stopwatch updating;
  outcome.update = finite ? update(outcome.sums, learning_rate) : UpdateReport{NAN, 1, false};
  times_.update += updating.seconds();
  outcome.times = times_;
  for (Optimizer& local : locals_) local.resume_at(optimizer_.steps() * training_.outer_steps);
  if (!outcome.update.finite) {
    restore_locals(before);
    outcome.diagnosis = diagnose(works, step, outcome.sums);
  }
  clear_gradients();  // validation needs their memory
  return outcome;
}

void Learner::clear_gradients() {
  parameters_.clear_gradients();
  tree_.clear();
}

UpdateReport Learner::update(const LossSums& sums, double learning_rate) {
  const Phase phase("update", update_work());
  if (!std::isfinite(sums.loss)) return {NAN, 1, false};
  const auto terms = static_cast<double>(std::max<int64_t>(1, sums.terms));
  const UpdateReport report =
      local()   ? update_share(training_.outer_rate, static_cast<double>(blocks_.parts))
      : joins() ? update_share(learning_rate, terms)
                : optimizer_.update(parameters_, learning_rate, 1 / terms);
  if (report.finite && average_) average_->follow(parameters_, optimizer_.steps());
  return report;
}

// Of the gradient summed over all parts, this rank holds only the blocks of its share.
UpdateReport Learner::update_share(double learning_rate, double terms) {
  const std::span<real> gradient = span_of(tree_.sum());
  const int64_t blocks = parts_of_rank();
  const auto first_block = [&](int rank) {
    return share_of(ranks_, rank, blocks_.size()).begin / blocks_.block;
  };
  const std::vector<double> squares =
      all_gather(ranks_, std::span<const double>(squares_of_blocks(
                             gradient, blocks_, first_block(ranks_.rank()), blocks)));
  std::vector<double> in_order(squares.size());
  for (int rank = 0; rank < ranks_.ranks(); ++rank) {
    std::copy_n(squares.begin() + rank * blocks, blocks, in_order.begin() + first_block(rank));
  }
  const bool by_element = Optimizer::works_by_element(joint_settings(training_));
  if (!by_element) gather_shares(ranks_, gradient, blocks_.size());
  const UpdateReport report =
      optimizer_.update(parameters_, gradient, norm_of_blocks(in_order), learning_rate, 1 / terms);
  if (report.finite) {
    const Phase phase("exchange");
    if (by_element) gather_shares(ranks_, parameters_.values(), blocks_.size());
    if (!by_element && updated_.front() != whole_range(parameters_)) {
      gather_ranges(ranks_, parameters_.values(), updated_);
    }
  }
  return report;
}

// The gradients are read twice, for the norm and for the update; the weights, the optimizer's state
// and the average are read and written.
Profile::Work Learner::update_work() {
  if (!Profile::current()) return {};
  const auto all = static_cast<double>(parameters_.flat_size());
  double numbers = all + all;
  if (average_) numbers += all;
  for (const StateWindow& window : optimizer_.state()) {
    numbers += static_cast<double>(window.values.size());
  }
  return {.bytes = 2 * numbers * sizeof(real)};
}

// Runs the parts of this rank and appends their results to `parts`. Losses are sums over terms;
// only the optimizer divides by the number of terms.
void Learner::forward_backward(const Works& works, int64_t step, double learning_rate,
                               Tape::Check check, std::vector<Part>& parts) {
  const auto all = static_cast<size_t>(blocks_.parts * std::max<int64_t>(1, training_.outer_steps));
  const size_t count = works.size() / all;
  require(works.size() % all == 0, "Learner: {} micro-batches in {} parts", works.size(), all);
  clear_gradients();
  for (int64_t part = first_part(); part < first_part() + parts_of_rank(); ++part) {
    const auto own = std::span(works).subspan(static_cast<size_t>(part) * count, count);
    Buffer<real> gradient;
    parts.push_back(local() ? local_updates(works, part, step, learning_rate, gradient)
                            : run_part(own, part, step, check, gradient));
    if (joins()) tree_.add(part - first_part(), std::move(gradient));
  }
}

// With check_finite, repeats the step with every op checked: dropout is a function of the step, so
// the same op produces the first value that is not finite. With outer_steps, takes the diagnosis of
// diagnose_local() instead. If neither finds a cause, names a parameter whose gradient is not
// finite, or says that the loss is not finite or the gradient too large.
std::string Learner::diagnose(const Works& works, int64_t step, const LossSums& sums) {
  const Parameters::Entry* entry = local() ? nullptr : first_bad_gradient();
  std::string op;
  try {
    std::vector<Part> parts;
    if (training_.check_finite && !local()) {
      forward_backward(works, step, 0, Tape::Check::finite, parts);
    }
    op = std::exchange(local_problem_, "");
  } catch (const NotFinite& error) {
    op = error.what();
  }
  for (const std::string& first : all_gather_texts(ranks_, op)) {
    if (!first.empty()) return first;
  }
  if (entry) return fmt::format("the gradient of {} is not finite", entry->name);
  return std::isfinite(sums.loss) ? "the gradient is too large" : "the loss is not finite";
}

// Each rank searches its share of the gradient; all ranks return the same parameter.
const Parameters::Entry* Learner::first_bad_gradient() {
  if (!joins()) return first_not_finite(parameters_);
  const Share share = share_of(ranks_, ranks_.rank(), blocks_.size());
  const std::span<const real> gradient = span_of(tree_.sum());
  const auto own = gradient.subspan(static_cast<size_t>(share.begin),
                                    static_cast<size_t>(share.end - share.begin));
  int64_t first = share.begin + first_not_finite(own);
  if (first == share.end) first = blocks_.size();
  first = std::ranges::min(all_gather(ranks_, std::span<const int64_t>(&first, 1)));
  return parameter_at(parameters_, first);
}

std::unique_ptr<WithAverage> Learner::averaged_weights() {
  return average_ ? std::make_unique<WithAverage>(*average_, parameters_) : nullptr;
}

// While the average is swapped in, the window of the average holds the weights in training.
WholeState Learner::optimizer_state() {
  std::vector<StateWindow> windows;
  for (const StateWindow& window : optimizer_.state()) {
    windows.push_back(window);
    if (local()) windows.back().name = "outer." + window.name;
  }
  for (int64_t part = 0; local() && part < blocks_.parts; ++part) {
    const int64_t owner = part / parts_of_rank();
    const bool own = owner == ranks_.rank();
    for (const StateWindow& window : locals_[static_cast<size_t>(part % parts_of_rank())].state()) {
      windows.push_back({fmt::format("part.{}.{}", part, window.name),
                         own ? window.values : std::span<real>(),
                         own ? window.pieces : FlatRanges()});
    }
  }
  if (average_) {
    for (const StateWindow& window : average_->state())
      windows.push_back({"weights", window.values});
  }
  return {ranks_, std::move(windows)};
}

void Learner::restored(int64_t optimizer_step) {
  optimizer_.resume_at(optimizer_step);
  for (Optimizer& local : locals_) local.resume_at(optimizer_step * training_.outer_steps);
  if (average_) average_->swap(parameters_);
}

}  // namespace calque
