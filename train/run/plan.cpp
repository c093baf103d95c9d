#include "train/run/plan.h"

#include <algorithm>

#include "core/memory/pool.h"
#include "core/parameter_table.h"
#include "train/config/presets.h"
#include "train/config/short_run.h"
#include "train/run/batch_size.h"
#include "train/run/estimate.h"
#include "train/run/log.h"
#include "train/step/chunks.h"
#include "train/step/learner.h"
#include "train/step/slices.h"
#include "train/storage/checkpoints.h"
#include "train/weights/initial_weights.h"
#include "train/weights/resume.h"

namespace calque {
namespace {

std::unique_ptr<Task> planned_task(const Config& config, const RunFolder& run,
                                   const MakeTask& make_task) {
  const bool begins = Checkpoints(real_files(), run.path).steps().empty();
  if (begins && !config.model.init_from.empty()) weights_file(config.model.init_from);
  return make_task(config, run, {TaskStart::Purpose::plan});
}

// A resumed run keeps its numbers of slices and chunks (Training::fit_memory()).
Learner::Division planned_division(const Config& config, const std::optional<TrainingState>& state,
                                   Learner& learner, const Work& largest, Task& task) {
  const Bytes limit = config.training.memory_limit;
  const int64_t slices = state ? state->slices : slices_for(largest, task);
  const bool keeps = state && state->chunks > 0 && config_of(*state).training.memory_limit == limit;
  return {slices, keeps ? state->chunks : chunks_for_memory(learner, largest, slices, limit)};
}

// "an epoch: about 107 updates of 27000 examples in all, 53 from epoch 17 on"
std::string epochs_text(const std::vector<EpochSize>& sizes, const Config& config) {
  std::string text = fmt::format("an epoch: about {:.0f} updates of {} examples in all",
                                 updates_in(sizes[0], config.training), sizes[0].examples);
  for (size_t i = 1; i < sizes.size(); ++i) {
    text += fmt::format(", {:.0f} from epoch {} on", updates_in(sizes[i], config.training),
                        sizes[i].epoch + 1);
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

std::string time_text(const TrainingConfig& training, const std::vector<EpochSize>& sizes,
                      const UpdateCost& cost) {
  const double updates = updates_until(training, sizes, cost);
  std::string text = fmt::format("time: about {} per epoch",
                                 duration_text(updates_in(sizes[0], training) * cost.seconds));
  if (updates > 0) text += fmt::format(", {} in all", duration_text(updates * cost.seconds));
  if (training.until.seconds > 0) {
    text += fmt::format(", ended after {}", duration_text(training.until.seconds));
  }
  return text + ", estimated from steps measured now on this machine\n";
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

std::string training_plan(const Config& given, const RunFolder& run, const MakeTask& make_task) {
  const std::unique_ptr<Task> task = planned_task(given, run, make_task);
  const Checkpoints checkpoints(real_files(), run.path);
  const std::optional<TrainingState> state = newest_state(checkpoints);
  Config config = state ? with_chosen_batch(given, *state) : given;
  BatchChoice choice;
  if (config.training.chooses_batch()) {
    choice = choose_batch(config, *task, 1);
    config.training.batch_tokens = choice.tokens;
  }
  Learner learner(config.training, task->parameters());
  learner.initialise();
  if (task->base()) task->base()->initialise(0);
  const bool begins = checkpoints.steps().empty();
  const auto notes = begins ? task->load_pretrained() : std::vector<std::string>{};
  learner.start_averaging();
  const std::unique_ptr<WorkStream> stream = task->training({}, config.training.batch_tokens);
  const std::unique_ptr<Work> largest = stream->largest();
  learner.divide(planned_division(config, state, learner, *largest, *task));
  const int64_t memory = learner.memory_of_step(*largest, learner.division());
  const UpdateCost cost = measured_update(config.training, learner, *stream);
  const std::vector<EpochSize> sizes = stream->epoch_sizes();

  std::string text = parameter_table(task->parameters());
  if (task->base()) {
    text += fmt::format("frozen: the {} numbers of {}\n", task->base()->count(),
                        config.model.init_from);
  }
  text += fmt::format("\ndata: {}\n", task->data_description());
  for (const std::string& note : notes) text += note + '\n';
  for (const std::string& remark : task->data_remarks()) text += remark + '\n';
  if (!choice.notes.empty()) text += choice.notes.front() + '\n';
  text += fmt::format("an update: about {:.0f} tokens, {:.1f} GFLOP, {:.3f} s\n", cost.terms,
                      cost.flops / 1e9, cost.seconds);
  text += memory_text(memory, learner.division()) + epochs_text(sizes, config);
  text += time_text(config.training, sizes, cost);
  const double updates = expected_updates(config.training, sizes, cost);
  const std::string warning = few_updates_warning(config, updates);
  return text + learning_rate_text(config, updates) + (warning.empty() ? "" : warning + '\n');
}

}  // namespace calque
