#include "train/run/plan.h"

#include <algorithm>
#include <chrono>

#include "core/memory/pool.h"
#include "core/parameter_table.h"
#include "train/config/presets.h"
#include "train/run/log.h"
#include "train/step/chunks.h"
#include "train/step/learner.h"
#include "train/step/slices.h"
#include "train/storage/checkpoints.h"
#include "train/weights/initial_weights.h"
#include "train/weights/resume.h"

namespace calque {
namespace {

// The medians of a few updates.
struct UpdateCost {
  double seconds = 0, flops = 0, terms = 0;
};

std::unique_ptr<Task> planned_task(const Config& config, const RunFolder& run,
                                   const MakeTask& make_task) {
  const bool begins = Checkpoints(real_files(), run.path).steps().empty();
  if (begins && !config.model.init_from.empty()) weights_file(config.model.init_from);
  return make_task(config, run, {TaskStart::Purpose::plan});
}

template <class Number>
Number median(std::vector<Number> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Runs steps with a learning rate of 0. The first step, which allocates memory, is not counted.
UpdateCost measured_update(const Config& config, Learner& learner, WorkStream& stream) {
  constexpr int most_steps = 6;
  constexpr double enough_seconds = 10;
  std::vector<double> seconds, flops, terms;
  double spent = 0;
  for (int step = 0; step < most_steps && (step < 2 || spent < enough_seconds); ++step) {
    Works works;
    for (int64_t i = 0; i < config.training.batches_of_step(); ++i) works.push_back(stream.next());
    const auto start = std::chrono::steady_clock::now();
    const StepOutcome outcome = learner.step(works, step, 0);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    spent += taken.count();
    if (step == 0) continue;
    seconds.push_back(taken.count());
    flops.push_back(outcome.flops);
    terms.push_back(static_cast<double>(outcome.sums.terms));
  }
  return {median(seconds), median(flops), median(terms)};
}

// A resumed run keeps its numbers of slices and chunks (Training::fit_memory()).
Learner::Division planned_division(const Config& config, const std::optional<TrainingState>& state,
                                   Learner& learner, const Work& largest, Task& task) {
  const Bytes limit = config.training.memory_limit;
  const int64_t slices =
      state ? state->slices : slices_for(largest, task.base() ? *task.base() : task.parameters());
  const bool keeps = state && state->chunks > 0 && config_of(*state).training.memory_limit == limit;
  return {slices, keeps ? state->chunks : chunks_for_memory(learner, largest, slices, limit)};
}

double updates_in(const EpochSize& epoch, const Config& config) {
  const auto batches = static_cast<double>(config.training.batches_of_step());
  return std::max(1.0, static_cast<double>(epoch.works) / batches);
}

// The number of updates in the first `epochs` epochs.
double updates_of(double epochs, const std::vector<EpochSize>& sizes, const Config& config) {
  double updates = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto begin = static_cast<double>(sizes[i].epoch);
    const bool last = i + 1 == sizes.size();
    const double end = last ? epochs : std::min(epochs, static_cast<double>(sizes[i + 1].epoch));
    updates += std::max(0.0, end - begin) * updates_in(sizes[i], config);
  }
  return updates;
}

// The number of updates until the first limit in updates, epochs or tokens; 0 without such a limit.
double updates_until(const Config& config, const std::vector<EpochSize>& sizes,
                     const UpdateCost& cost) {
  const Until& until = config.training.until;
  double updates = 0;
  const auto consider = [&](double limit) {
    if (limit > 0 && (updates == 0 || limit < updates)) updates = limit;
  };
  consider(static_cast<double>(until.updates));
  consider(updates_of(until.epochs, sizes, config));
  consider(static_cast<double>(until.tokens) / cost.terms);
  return updates;
}

// "an epoch: about 107 updates of 27000 examples in all, 53 from epoch 17 on"
std::string epochs_text(const std::vector<EpochSize>& sizes, const Config& config) {
  std::string text = fmt::format("an epoch: about {:.0f} updates of {} examples in all",
                                 updates_in(sizes[0], config), sizes[0].examples);
  for (size_t i = 1; i < sizes.size(); ++i) {
    text +=
        fmt::format(", {:.0f} from epoch {} on", updates_in(sizes[i], config), sizes[i].epoch + 1);
  }
  return text + "\n";
}

std::string memory_text(int64_t bytes, const Learner::Division& division) {
  std::string text =
      fmt::format("memory: about {:.0f} MB in the largest batch", static_cast<double>(bytes) / 1e6);
  if (division.chunks > 1) {
    text += fmt::format(", split into {} chunks", division.slices * division.chunks);
  }
  return text + "\n";
}

// The number of updates until the run ends, from its limits and the measured speed; 0 if unknown.
double expected_updates(const Until& until, double updates, const UpdateCost& cost) {
  if (until.seconds <= 0) return updates;
  const double in_time = until.seconds / cost.seconds;
  return updates > 0 ? std::min(updates, in_time) : in_time;
}

std::string learning_rate_text(const Config& config, double updates) {
  const TrainingConfig& training = config.training;
  std::string text;
  if (training.schedule != TrainingConfig::Schedule::noam) {
    text += fmt::format("learning rate: at most {:.3g}", peak_learning_rate(config));
    if (training.learning_rate == 0) text += " (from model.d_model and the tokens of an update)";
  }
  if (training.schedule == TrainingConfig::Schedule::whole_run && training.until.has_limit()) {
    const double quarter = updates / 4;
    text += fmt::format(", reached after {:.0f} updates, falling to 0 at the end of about {:.0f}",
                        std::min(quarter, static_cast<double>(training.warmup_steps)), updates);
  }
  if (!text.empty()) text += '\n';
  const bool fits = training.schedule == TrainingConfig::Schedule::whole_run;
  if (!fits && updates > 0 && updates <= static_cast<double>(training.warmup_steps)) {
    text += fmt::format(
        "warning: the run ends after about {:.0f} updates, within its warm-up of {}; lower "
        "training.warmup_steps, or set training.schedule: auto\n",
        updates, training.warmup_steps);
  }
  return text;
}

}  // namespace

std::string training_plan(const Config& config, const RunFolder& run, const MakeTask& make_task) {
  const std::unique_ptr<Task> task = planned_task(config, run, make_task);
  Learner learner(config.training, task->parameters());
  learner.initialise();
  if (task->base()) task->base()->initialise(0);
  const Checkpoints checkpoints(real_files(), run.path);
  const bool begins = checkpoints.steps().empty();
  const auto notes = begins ? task->load_pretrained() : std::vector<std::string>{};
  learner.start_averaging();
  const std::unique_ptr<WorkStream> stream = task->training({});
  const std::unique_ptr<Work> largest = stream->largest();
  learner.divide(planned_division(config, newest_state(checkpoints), learner, *largest, *task));
  const int64_t memory = learner.memory_of_step(*largest, learner.division());
  const UpdateCost cost = measured_update(config, learner, *stream);
  const std::vector<EpochSize> sizes = stream->epoch_sizes();
  const double updates = updates_until(config, sizes, cost);

  std::string text = parameter_table(task->parameters());
  if (task->base()) {
    text += fmt::format("frozen: the {} numbers of {}\n", task->base()->count(),
                        config.model.init_from);
  }
  text += fmt::format("\ndata: {}\n", task->data_description());
  for (const std::string& note : notes) text += note + '\n';
  text += fmt::format("an update: about {:.0f} tokens, {:.1f} GFLOP, {:.3f} s\n", cost.terms,
                      cost.flops / 1e9, cost.seconds);
  text += memory_text(memory, learner.division()) + epochs_text(sizes, config);
  text += fmt::format("time: about {} per epoch",
                      duration_text(updates_in(sizes[0], config) * cost.seconds));
  if (updates > 0) text += fmt::format(", {} in all", duration_text(updates * cost.seconds));
  if (config.training.until.seconds > 0) {
    text += fmt::format(", ended after {}", duration_text(config.training.until.seconds));
  }
  text += ", estimated from steps measured now on this machine\n";
  return text + learning_rate_text(config, expected_updates(config.training.until, updates, cost));
}

}  // namespace calque
