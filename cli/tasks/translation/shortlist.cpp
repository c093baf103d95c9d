// calque shortlist: learns which target tokens the translations of a source probably have.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command_line.h"
#include "cli/tasks/task_commands.h"
#include "cli/tasks/translation/split_sources.h"
#include "core/error.h"
#include "train/tasks/translation/shortlist_file.h"
#include "train/tasks/translation/shortlist_learning.h"

namespace calque {
namespace {

struct ShortlistArguments {
  std::string run, source, target, split = "validation";
  ShortlistOptions options;
};

std::string to_text(const ShortlistRecall& recall, int64_t vocabulary) {
  const auto percent = [](int64_t part, int64_t of) {
    return of == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(of);
  };
  return fmt::format(
      "{:.2f}% of {} target tokens are in the lists, all of {:.1f}% of {} pairs; a list has {:.0f} "
      "of {} tokens\n",
      percent(recall.found, recall.tokens), recall.tokens, percent(recall.whole, recall.pairs),
      recall.pairs,
      static_cast<double>(recall.listed) / static_cast<double>(std::max<int64_t>(1, recall.pairs)),
      vocabulary);
}

void make_shortlist(const ShortlistArguments& arguments) {
  require_task("calque shortlist", arguments.run, {TaskKind::translation});
  const TranslationRun run = open_translation_run({arguments.run, {}}, std::nullopt);
  std::vector<CorpusSource> training;
  if (arguments.source.empty()) {
    training = sources_of_split(run.config, "train", "--source and --target");
  } else {
    training = {{.place = AlignedFiles{{arguments.source, arguments.target}}}};
  }
  std::string name = arguments.split;
  std::vector<CorpusSource> judged;
  if (run.config.data.validation.empty() && !arguments.source.empty()) {  // an imported run
    name = name_of(training.front());
    judged = training;
  } else {
    judged = sources_of_split(run.config, arguments.split, "--split");
  }
  const Shortlist list = learn_shortlist(run, training, arguments.options);
  fmt::print("{}: {}", name, to_text(recall_of(list, run, judged), run.tokenizers.target.size()));
  save_shortlist(run.folder, run.tokenizers, list);
  fmt::print("wrote {}\n", run.folder.shortlist());
}

}  // namespace

void add_shortlist_command(CLI::App& calque) {
  const auto arguments = std::make_shared<ShortlistArguments>();
  ShortlistOptions& options = arguments->options;
  CLI::App* command = calque.add_subcommand(
      "shortlist", "Learn the target tokens that the translations of a source probably have");
  add_run(command, arguments->run);
  CLI::Option* source =
      command
          ->add_option("--source", arguments->source,
                       "Learn from these sentences instead of the run's training data")
          ->type_name("FILE");
  source->needs(
      command->add_option("--target", arguments->target, "Their translations, line by line")
          ->needs(source)
          ->type_name("FILE"));
  command
      ->add_option("--per-token", options.per_token,
                   "The number of target tokens for each source token, the most probable ones")
      ->capture_default_str()
      ->check(whole_number(1, 100'000))
      ->type_name("N");
  command
      ->add_option("--frequent", options.frequent,
                   "The number of target tokens for every source, the most frequent ones")
      ->capture_default_str()
      ->check(whole_number(0, 1'000'000))
      ->type_name("N");
  command
      ->add_option("--split", arguments->split,
                   "The report: train, validation, or the name of a test corpus; of a run without\n"
                   "corpora, it is on --source and --target")
      ->capture_default_str()
      ->type_name("NAME");
  add_threads(command);
  command->footer(
      "Writes RUN/shortlist.txt. Every search with the run then chooses from these tokens alone,\n"
      "which is faster for vocabularies of 16,000 tokens and more; --set "
      "decoding.shortlist=false\nchooses from all.\n"
      "Example: calque shortlist runs/toy\n"
      "         calque evaluate runs/toy");
  command->callback([arguments] { make_shortlist(*arguments); });
}

}  // namespace calque
