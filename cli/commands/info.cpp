// calque info: describes a run or a checkpoint.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "core/parameter_table.h"
#include "train/config/language_pairs.h"
#include "train/config/values.h"
#include "train/run/log.h"
#include "train/storage/checkpoints.h"
#include "train/storage/safetensors.h"
#include "train/tasks/registry.h"
#include "train/weights/trained_run.h"

namespace calque {
namespace {

void print_state(const TrainingState& state, Precision stored) {
  fmt::print("step {} (epoch {}, {} updates), {} tokens, trained for {}\n", state.step, state.epoch,
             state.optimizer_step, state.tokens, duration_text(state.seconds_trained));
  for (const auto& [metric, scores] : state.best) {
    for (const Score& score : scores) {
      fmt::print("best {}: {:.6g} at step {}\n", metric, score.value, score.step);
    }
  }
  if (state.divergence.skipped_steps > 0) {
    fmt::print("skipped steps: {}\n", state.divergence.skipped_steps);
  }
  if (state.mean_of > 0) fmt::print("weights: the mean of {} checkpoints\n", state.mean_of);
  if (stored != Precision::full) {
    fmt::print("weights: in {}\n", name_of(inference_precisions, stored));
  }
  for (const auto& [part, version] : state.versions) fmt::print("{}: {}\n", part, version);
}

// Of a multilingual run.
void print_languages(const Config& config) {
  if (!config.data.multilingual) return;
  std::vector<std::string> pairs;
  for (const LanguagePair& pair : language_pairs(config.data.train)) pairs.push_back(pair.name());
  if (!pairs.empty()) fmt::print("languages {}\n", fmt::join(pairs, ", "));
}

void info(const std::string& folder) {
  const TrainedRun run = open_run(folder, make_task);
  fmt::print("run {}\ncheckpoint {}\ntask {}\n", run.location.folder.path, run.weights.checkpoint,
             name_of(task_kinds, run.location.config.task));
  print_languages(run.location.config);
  const std::string& checkpoint = run.weights.checkpoint;
  const SafetensorsFile weights(real_files(), checkpoint + "/model.safetensors");
  print_state(load_state(real_files(), checkpoint), stored_precision(weights.table()));
  fmt::print("\n{}", parameter_table(run.task->parameters()));
}

}  // namespace

void add_info_command(CLI::App& calque) {
  const auto folder = std::make_shared<std::string>();
  CLI::App* command = calque.add_subcommand("info", "Describe a run or a checkpoint");
  command->add_option("RUN", *folder, "The folder of a run or of one of its checkpoints")
      ->required()
      ->type_name("");
  command->footer("Example: calque info runs/toy");
  command->callback([folder] { info(*folder); });
}

}  // namespace calque
