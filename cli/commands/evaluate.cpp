// calque evaluate: measures a model on a split by the metrics of its task.
#include <memory>
#include <type_traits>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/decoding_arguments.h"
#include "cli/language_arguments.h"
#include "cli/tasks/split_corpora.h"
#include "cli/tasks/task_commands.h"
#include "train/weights/trained_run.h"

namespace calque {
namespace {

std::vector<CorpusOfSplit> chosen_corpora(const EvaluateArguments& arguments,
                                          const Config& config) {
  if (arguments.files != CorpusConfig()) return {{arguments.files, {}}};
  return corpora_of_split(config, arguments.split, commands_of(config.task).files_to_evaluate);
}

void evaluate(const EvaluateArguments& arguments) {
  const Config config = find_run(arguments.runs.front()).config;
  if (arguments.runs.size() > 1 && lacks(config, Feature::pairs)) {
    wrong_command_line("several runs: only translators form an ensemble; give one run");
  }
  commands_of(config.task).evaluate(arguments, chosen_corpora(arguments, config));
}

// The tasks that accept a corpus with such files.
template <class Files>
std::vector<TaskKind> for_files(Files CorpusConfig::*member,
                                const std::type_identity_t<Files>& files) {
  CorpusConfig corpus;
  corpus.*member = files;
  return tasks_that_accept(corpus);
}

void add_corpus_options(CLI::App& command, EvaluateArguments& arguments, TaskOptions& options) {
  CLI::Option* split =
      command
          .add_option("--split", arguments.split,
                      "train, validation, test, or the name of a test corpus (default: test)")
          ->type_name("NAME");
  CLI::Option* source = options.add(
      for_files(&CorpusConfig::source, "x"),
      command.add_option("--source", arguments.files.source,
                         "Translation: evaluate on this file instead, plain, gzip or zstd"));
  CLI::Option* target =
      command.add_option("--target", arguments.files.target, "The references for --source");
  source->type_name("FILE")->excludes(split)->needs(target);
  target->type_name("FILE")->needs(source);
  options.add(Feature::pairs, add_target_language(&command, arguments.languages))->needs(source);
  CLI::Option* text =
      options.add(for_files(&CorpusConfig::text, {"x"}),
                  command.add_option("--text", arguments.files.text,
                                     "Language models, word2vec: evaluate on this text instead"));
  text->type_name("FILE")->expected(1)->excludes(split)->excludes(source);
  options
      .add(for_files(&CorpusConfig::conversations, {"x"}),
           command.add_option("--conversations", arguments.files.conversations,
                              "Language models: evaluate on the answers in this file instead"))
      ->type_name("FILE")
      ->expected(1)
      ->excludes(split)
      ->excludes(source)
      ->excludes(text);
  CLI::Option* answers =
      options.add(Feature::decoder,
                  command.add_flag("--answers", arguments.answers,
                                   "Conversations: also generate the last answers, and report how "
                                   "many equal the known ones"));
  options
      .add(Feature::decoder, command.add_option("--stop", arguments.stop,
                                                "--answers: end an answer before this string; may "
                                                "be repeated"))
      ->allow_extra_args(false)
      ->needs(answers)
      ->type_name("TEXT");
  for (const Named<TaskKind>& task : task_kinds) {
    const TaskCommands& commands = commands_of(task.choice);
    if (commands.path_to_evaluate == nullptr) continue;
    options
        .add(std::vector{task.choice},
             command.add_option(commands.files_to_evaluate,
                                arguments.files.*commands.path_to_evaluate, commands.path_meaning))
        ->type_name(commands.path_type)
        ->excludes(split)
        ->excludes(source)
        ->excludes(text);
  }
}

}  // namespace

void add_evaluate_command(CLI::App& calque) {
  const auto arguments = std::make_shared<EvaluateArguments>();
  const auto options = std::make_shared<TaskOptions>();
  CLI::App* command = calque.add_subcommand("evaluate", "Evaluate a trained model on a corpus");
  command
      ->add_option("RUN", arguments->runs,
                   "The folder of a run or of one of its checkpoints; several translators "
                   "form an ensemble")
      ->required()
      ->type_name("");
  add_corpus_options(*command, *arguments, *options);
  options->add(Feature::pairs, add_beam(command, arguments->decoding.beam));
  for (CLI::Option* option : add_minimum_risk(command, arguments->decoding)) {
    options->add(Feature::pairs, option);
  }
  options->add(Feature::pairs, add_decoding_settings(command, arguments->decoding.settings));
  options
      ->add(Feature::pairs,
            command->add_option(
                "--tokenize", arguments->tokenize,
                "How BLEU splits words: 13a, intl, char, or none for text that is already "
                "tokenized (default: the config's)"))
      ->check(CLI::IsMember({"13a", "intl", "char", "none"}))
      ->type_name("HOW");
  options
      ->add(Feature::pairs,
            command->add_option("--glossary", arguments->glossary,
                                "Terms that translations must have, and a report on them"))
      ->type_name("FILE");
  options->add(Feature::pairs,
               command->add_flag("--by-length", arguments->by_length,
                                 "Also show the BLEU of sources of 1 to 5 words, 6 to 10, ..."));
  command
      ->add_option("--samples", arguments->samples,
                   "Show N translations, continuations, filled windows, classified texts or words "
                   "with their neighbours (default: 0)")
      ->check(whole_number(0))
      ->type_name("N");
  command
      ->add_option("--output", arguments->output,
                   "Write one line per result to this file: the translation or the label; for a "
                   "language model, the score of a document, as calque score prints it, or with "
                   "--answers the text, the known answer and the model's as JSON; for a masked "
                   "language model, a window with [MASK], the original and the filled window, "
                   "separated by tabs")
      ->type_name("FILE");
  options
      ->add(Feature::pairs,
            command->add_option("--export-comet", arguments->comet,
                                "Write source.txt, translation.txt and reference.txt to this "
                                "folder, as comet-score and MT-Telescope read them"))
      ->type_name("DIR");
  add_precision(command, arguments->precision);
  add_threads(command);
  command->footer(
      "The folder of a run means its best checkpoint, RUN/last the newest.\n"
      "Example: calque evaluate runs/toy --split test --samples 5");
  arguments->decoding.n_best = 1;  // only the best translation is evaluated
  command->callback([arguments, options] {
    options->check(arguments->runs.front());
    evaluate(*arguments);
  });
}

}  // namespace calque
