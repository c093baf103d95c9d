// calque evaluate: loss, perplexity, accuracy, exact matches, BLEU, chrF and TER of a split.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/decoding_arguments.h"
#include "cli/progress.h"
#include "cli/result_file.h"
#include "core/error.h"
#include "train/tasks/translation/settings.h"
#include "train/tasks/translation/split_evaluation.h"

namespace calque {
namespace {

struct Arguments {
  std::vector<std::string> runs;
  std::string split = "test", source, target, tokenize, output;
  DecodingArguments decoding;
  int64_t samples = 0;
};

struct Chosen {
  std::string name;
  CorpusSource corpus;
};

// The corpora of the split: of the config's lists, or a test corpus called so.
std::vector<Chosen> chosen_corpora(const Arguments& arguments, const Config& config) {
  if (!arguments.source.empty()) {
    return {{arguments.source, {AlignedFiles{arguments.source, arguments.target}}}};
  }
  const auto list = [&](const Corpora& corpora, CorpusConfig::Split split,
                        const std::string& only) {
    std::vector<Chosen> chosen;
    for (const CorpusConfig& corpus : corpora) {
      if (!only.empty() && corpus_name(corpus) != only) continue;
      chosen.push_back({corpus_name(corpus), corpus_sources({corpus}, config.data, split).front()});
    }
    return chosen;
  };
  const DataConfig& data = config.data;
  if (arguments.split == "train") return list(data.train, CorpusConfig::Split::train, "");
  std::vector<Chosen> named;
  if (arguments.split == "validation") {
    named = list(data.validation, CorpusConfig::Split::validation, "");
  } else {
    named = list(data.test, CorpusConfig::Split::test, arguments.split);
    if (named.empty() && arguments.split == "test") {
      named = list(data.test, CorpusConfig::Split::test, "");
    }
  }
  if (!named.empty()) return named;
  std::string known = "train";
  if (!data.validation.empty()) known += ", validation";
  if (!data.test.empty()) known += ", test";
  for (const CorpusConfig& corpus : data.test) {
    if (corpus_name(corpus) != "test") known += ", " + corpus_name(corpus);
  }
  fail(
      "--split {}: the run's config has no such corpus; give --source and --target, or a split "
      "that "
      "it has: {}",
      arguments.split, known);
}

std::string lines_of(const std::vector<std::string>& texts) {
  std::string lines;
  for (const std::string& text : texts) lines += text + '\n';
  return lines;
}

// What is evaluated: "runs/toy/best, step 500".
std::string heading(const std::vector<TrainedRun>& runs) {
  std::string text;
  for (const TrainedRun& run : runs) text += fmt::format("{}, step {}\n", run.checkpoint, run.step);
  return text;
}

void evaluate(const Arguments& arguments) {
  std::vector<TrainedRun> runs = open_runs(arguments.runs);
  Config& config = runs.front().config;
  config.decoding = decoding_of(runs.front(), arguments.decoding);
  const SearchOptions options = search_options(config.decoding);
  BleuOptions bleu = bleu_options(config);
  if (!arguments.tokenize.empty()) bleu.tokenization = parse_tokenization(arguments.tokenize);
  const std::vector<Chosen> all = chosen_corpora(arguments, config);
  fmt::print("{}", heading(runs));
  std::string translations;
  for (const Chosen& chosen : all) {
    const Progress progress;
    const SplitResult result =
        evaluate_corpus(runs, chosen.name, chosen.corpus, options, bleu,
                        [&](int64_t sentences) { progress.show("sentences", sentences); });
    progress.end();
    fmt::print("{}", to_text(result, arguments.samples));
    translations += lines_of(result.outputs);
  }
  if (!arguments.output.empty()) write_result(arguments.output, translations);
}

}  // namespace

void add_evaluate_command(CLI::App& calque) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = calque.add_subcommand("evaluate", "Score a trained model on a corpus");
  command
      ->add_option("RUN", arguments->runs,
                   "A run's folder, or one of its checkpoints; several translate together")
      ->required()
      ->type_name("");
  CLI::Option* split =
      command
          ->add_option("--split", arguments->split,
                       "train, validation, test, or the name of a test corpus (default: test)")
          ->type_name("NAME");
  CLI::Option* source = command->add_option("--source", arguments->source,
                                            "Evaluate on these files instead, plain or gzip");
  CLI::Option* target =
      command->add_option("--target", arguments->target, "The references of --source");
  source->type_name("FILE")->excludes(split)->needs(target);
  target->type_name("FILE")->needs(source);
  add_beam(command, arguments->decoding.beam);
  add_decoding_settings(command, arguments->decoding.settings);
  command
      ->add_option("--tokenize", arguments->tokenize,
                   "How BLEU splits words: 13a, intl, char, or none for text that is tokenised "
                   "already (default: the config's)")
      ->check(CLI::IsMember({"13a", "intl", "char", "none"}))
      ->type_name("HOW");
  command->add_option("--samples", arguments->samples, "Show so many of the translations")
      ->check(whole_number(0))
      ->type_name("N");
  command
      ->add_option("--output", arguments->output,
                   "Write the translations here, a line each; those of several corpora one after "
                   "the other")
      ->type_name("FILE");
  add_threads(command);
  command->footer(
      "A run means its best checkpoint; runs/toy/last is the newest.\n"
      "Example: calque evaluate runs/toy --split test --samples 5");
  arguments->decoding.n_best = 1;  // the best of each sentence is what is scored
  command->callback([arguments] { evaluate(*arguments); });
}

}  // namespace calque
