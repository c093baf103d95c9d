// calque train: trains the model of a config; the same command again resumes the run.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "core/threads/parallel.h"
#include "ranks/collectives.h"
#include "ranks/start_ranks.h"
#include "train/run/continuation.h"
#include "train/run/plan.h"
#include "train/settings.h"
#include "train/step/profile_report.h"
#include "train/storage/durable_files.h"
#include "train/tasks/registry.h"
#include "train/trainer.h"
#include "train/weights/resume.h"

namespace calque {
namespace {

struct TrainArguments {
  std::string config, run;
  std::vector<std::string> settings;
  bool fresh = false, quiet = false, dry_run = false, profile = false;
  int threads = 0;
};

RunFolder folder_of(const TrainArguments& arguments, const Config& config, Communicator& ranks) {
  std::string folder;
  if (ranks.is_rank_zero()) {
    folder = folder_to_train_in(arguments.config, arguments.run, arguments.fresh, config);
  }
  return {broadcast_text(ranks, folder)};
}

// The command that resumes this run.
std::string resume_command(const TrainArguments& arguments, const RunFolder& run) {
  std::string command = "calque train " + quoted(arguments.config);
  if (run.path != default_run_folder(arguments.config)) command += " --run " + quoted(run.path);
  for (const std::string& setting : arguments.settings) command += " --set " + quoted(setting);
  if (arguments.threads > 0) command += fmt::format(" --threads {}", arguments.threads);
  return command;
}

// Returns a text on the step at which an existing run resumes. Throws Error if it cannot resume
// with this config.
std::string resuming_text(const Config& config, const RunFolder& run) {
  const auto state = newest_state(Checkpoints(real_files(), run.path));
  if (!state) return "";
  std::string text;
  for (const std::string& note : check_same_settings(*state, config)) text += note + "\n";
  const std::string rate = changed_rate_note(*state, config, run.path);
  if (!rate.empty()) text += rate + "\n";
  return text +
         fmt::format(
             "{} is at step {} and resumes from there; the plan below is for the whole run\n\n",
             run.path, state->step);
}

// Returns how to train a finished run further.
std::string how_to_continue(const Config& config, const RunFolder& run, int64_t step,
                            const std::string& command) {
  const TrainingConfig& training = config.training;
  const bool ends = training.has_final_step();
  const bool to_the_limit =
      training.schedule == TrainingConfig::Schedule::whole_run && training.until.has_limit();
  if (to_the_limit || (ends && step >= training.decay_steps)) {
    return fmt::format(
        ", the end of its learning rate schedule. To train its weights\n"
        "further, start another run with model.init_from: {}",
        run.path);
  }
  // The end of the schedule must not move with the limit.
  const std::string end =
      ends ? fmt::format(" --set training.decay_steps={}", training.decay_steps) : "";
  return fmt::format(". To train it further, raise the limit:\n  {}{} --set training.until=...",
                     command, end);
}

int signal_status(int signal) { return 128 + signal; }

// Prints how the run ended; returns the exit status.
int conclude(const TrainResult& result, const TrainArguments& arguments, const Config& config,
             const RunFolder& run) {
  const std::string command = resume_command(arguments, run);
  const std::string over_again =
      fmt::format("To start over in a new folder:\n  {} --fresh\n", command);
  switch (result.ending) {
    case Ending::finished:
      fmt::print("finished at step {}; the model is in {}", result.step, run.path);
      if (std::filesystem::exists(run.report())) fmt::print(", its curves in {}", run.report());
      fmt::print("\n");
      return 0;
    case Ending::patience:
      fmt::print(
          "stopped at step {}: no better validation within training.patience; the best model is "
          "{}/best\n",
          result.step, run.path);
      return 0;
    case Ending::already_finished:
      fmt::print("{} has finished, at step {}{}\n{}", run.path, result.step,
                 how_to_continue(config, run, result.step, command), over_again);
      return 0;
    case Ending::no_patience_left:
      fmt::print(
          "{} has stopped at step {}: no better validation within training.patience. To train it "
          "further, raise the patience, or set it to 0 for no limit:\n"
          "  {} --set training.patience=...\n{}",
          run.path, result.step, command, over_again);
      return 0;
    case Ending::stopped:  // a command follows no run
      return 0;
    case Ending::interrupted:
      fmt::print("interrupted at step {}, which is saved; to resume:\n  {}\n", result.step,
                 command);
      return signal_status(result.signal);
  }
  return 0;
}

void report(const Profile& profile, Precision precision, const RunFolder& run) {
  const std::string table = profile_table(profile, machine_limits(precision));
  if (table.empty()) return;
  replace_text(real_files(), run.profile(), table);
  replace_text(real_files(), run.trace(), chrome_trace(profile));
  fmt::print(
      "\n{}\nSaved in {}; open {} in chrome://tracing or ui.perfetto.dev to see single ops.\n\n",
      table, run.profile(), run.trace());
}

// Sets the number of threads of this rank, unless OMP_NUM_THREADS is set. A rank that the launcher
// has bound to some processors uses those; otherwise the ranks of a host share its processors
// equally.
void share_processors(Communicator& ranks) {
  const std::vector<std::string> hosts = all_gather_texts(ranks, ranks.host());
  const auto here = static_cast<int>(std::ranges::count(hosts, ranks.host()));
  if (std::getenv("OMP_NUM_THREADS") == nullptr && threads() == sysconf(_SC_NPROCESSORS_ONLN)) {
    set_threads(std::max(1, threads() / here));
  }
}

int train_as(Communicator& ranks, const TrainArguments& arguments) {
  const Config config = load_task_config(arguments.config, arguments.settings).config;
  const int64_t count = arguments.threads > 0 ? arguments.threads : config.training.threads;
  share_processors(ranks);
  if (count > 0) set_threads(static_cast<int>(count));
  const RunFolder run = folder_of(arguments, config, ranks);
  if (arguments.dry_run) {
    if (!ranks.is_rank_zero()) return 0;
    fmt::print("{}{}", resuming_text(config, run), training_plan(config, run, make_task));
    return 0;
  }
  const Loudness loudness = arguments.quiet ? Loudness::quiet : Loudness::normal;
  Profile profile;
  std::optional<Profiling> profiling;
  if (arguments.profile && ranks.is_rank_zero()) profiling.emplace(profile);
  const TrainResult result = train(config, run, loudness, make_task, ranks);
  profiling.reset();
  if (!ranks.is_rank_zero()) {
    return result.ending == Ending::interrupted ? signal_status(result.signal) : 0;
  }
  if (arguments.profile) report(profile, product_precision(config.training), run);
  return conclude(result, arguments, config, run);
}

// Aborts all ranks, because the others wait for this one. If all ranks fail, rank 0 reports the
// error, and its abort() ends the others while they sleep here.
void end_together(Communicator& ranks, const std::string& message) {
  if (ranks.is_rank_zero()) ranks.abort("calque: " + one_line(message));
  std::this_thread::sleep_for(std::chrono::seconds(2));
  ranks.abort(
      fmt::format("calque: rank {} on {}: {}", ranks.rank(), ranks.host(), one_line(message)));
}

int train_command(const TrainArguments& arguments) {
  const std::unique_ptr<Communicator> ranks = start_ranks();
  if (ranks->ranks() == 1) return train_as(*ranks, arguments);
  try {
    return train_as(*ranks, arguments);
  } catch (const std::bad_alloc&) {
    end_together(*ranks, "not enough memory; use a smaller batch or model, or more ranks");
  } catch (const std::exception& error) {
    end_together(*ranks, error.what());
  }
  return EXIT_FAILURE;
}

}  // namespace

void add_train_command(CLI::App& calque) {
  const auto arguments = std::make_shared<TrainArguments>();
  CLI::App* command = calque.add_subcommand("train", "Train a model, or resume its training");
  add_config(command, arguments->config)->required();
  command
      ->add_option("--run", arguments->run,
                   "Folder of the run (default: runs/NAME, for NAME.yaml or the built-in NAME)")
      ->type_name("DIR");
  add_settings(command, arguments->settings);
  command->add_flag("--fresh", arguments->fresh,
                    "Start over in a new folder; the old run is not changed");
  command
      ->add_option("--threads", arguments->threads,
                   "Threads (default: training.threads, or all processors)")
      ->check(whole_number(1, 1024))
      ->type_name("N");
  command->add_flag("--quiet", arguments->quiet,
                    "Print no progress, only how the run ends, and errors");
  CLI::Option* dry_run = command->add_flag(
      "--dry-run", arguments->dry_run, "Show the model's size, memory and time, without training");
  command
      ->add_flag("--profile", arguments->profile,
                 "Measure the time of each op; writes a table and a trace")
      ->excludes(dry_run);
  command->footer(
      "The same command again resumes an interrupted run, the newest one if --fresh made several.\n"
      "Example: calque train toy");
  command->callback([arguments] {
    if (const int status = train_command(*arguments)) throw CLI::RuntimeError(status);
  });
}

}  // namespace calque
