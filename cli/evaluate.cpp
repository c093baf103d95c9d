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
#include "data/document_dataset.h"
#include "train/tasks/language_model/language_model_run.h"
#include "train/tasks/language_model/settings.h"
#include "train/tasks/language_model/text_evaluation.h"
#include "train/tasks/translation/settings.h"
#include "train/tasks/translation/split_evaluation.h"

namespace calque {
namespace {

struct Arguments {
  std::vector<std::string> runs;
  std::string split = "test", source, target, text, tokenize, output;
  DecodingArguments decoding;
  int64_t samples = 0;
};

struct Chosen {
  CorpusConfig corpus;
  CorpusConfig::Split split;
};

// The corpora of the config's lists, or the test corpora of that name.
std::vector<Chosen> corpora_of_split(const DataConfig& data, const std::string& split) {
  using Split = CorpusConfig::Split;
  const auto list = [](const Corpora& corpora, Split part, const std::string& only) {
    std::vector<Chosen> chosen;
    for (const CorpusConfig& corpus : corpora) {
      if (only.empty() || corpus_name(corpus) == only) chosen.push_back({corpus, part});
    }
    return chosen;
  };
  if (split == "train") return list(data.train, Split::train, "");
  if (split == "validation") return list(data.validation, Split::validation, "");
  std::vector<Chosen> named = list(data.test, Split::test, split);
  if (named.empty() && split == "test") named = list(data.test, Split::test, "");
  return named;
}

std::vector<Chosen> chosen_corpora(const Arguments& arguments, const Config& config) {
  CorpusConfig files;
  files.source = arguments.source;
  files.target = arguments.target;
  if (!arguments.text.empty()) files.text = {arguments.text};
  if (!files.source.empty() || !files.text.empty()) return {{files, {}}};
  const DataConfig& data = config.data;
  std::vector<Chosen> named = corpora_of_split(data, arguments.split);
  if (!named.empty()) return named;
  std::string known = "train";
  if (!data.validation.empty()) known += ", validation";
  if (!data.test.empty()) known += ", test";
  for (const CorpusConfig& corpus : data.test) {
    if (corpus_name(corpus) != "test") known += ", " + corpus_name(corpus);
  }
  fail("--split {}: the run's config has no such corpus; give {}, or a split that it has: {}",
       arguments.split,
       config.task == TaskKind::language_model ? "--text" : "--source and --target", known);
}

std::string lines_of(const std::vector<std::string>& texts) {
  std::string lines;
  for (const std::string& text : texts) lines += text + '\n';
  return lines;
}

// What is evaluated: "runs/toy/best, step 500".
std::string heading(const std::vector<TranslationRun>& runs) {
  std::string text;
  for (const TranslationRun& run : runs)
    text += fmt::format("{}, step {}\n", run.checkpoint, run.step);
  return text;
}

void evaluate_translation(const Arguments& arguments) {
  std::vector<TranslationRun> runs = open_translation_runs(arguments.runs);
  Config& config = runs.front().config;
  config.decoding = decoding_of(runs.front(), arguments.decoding);
  const TranslationOptions options = translation_options(config.decoding);
  BleuOptions bleu = bleu_options(config);
  if (!arguments.tokenize.empty()) bleu.tokenization = parse_tokenization(arguments.tokenize);
  const std::vector<Chosen> all = chosen_corpora(arguments, config);
  fmt::print("{}", heading(runs));
  std::string translations;
  for (const auto& [corpus, split] : all) {
    const Progress progress;
    const SplitResult result = evaluate_corpus(
        runs, corpus_name(corpus), corpus_sources({corpus}, config.data, split).front(), options,
        bleu, [&](int64_t sentences) { progress.show("sentences", sentences); });
    progress.end();
    fmt::print("{}", to_text(result, arguments.samples));
    translations += lines_of(result.outputs);
  }
  if (!arguments.output.empty()) write_result(arguments.output, translations);
}

void evaluate_language_model(const Arguments& arguments) {
  if (arguments.runs.size() > 1) wrong_command_line("language models are evaluated one by one");
  const LanguageModelRun run = open_language_model_run(arguments.runs.front());
  const std::vector<Chosen> all = chosen_corpora(arguments, run.config);
  fmt::print("{}, step {}\n", run.checkpoint, run.step);
  for (const auto& [corpus, split] : all) {
    const Dataset dataset =
        load_documents(document_sources({corpus}, run.config.data, split), run.tokenizer,
                       {.invalid = filter_options(run.config.data).invalid});
    const TextEvaluation found =
        evaluate_text(run.model(), dataset, window_options(run.config, WindowUse::evaluation),
                      run.config.training.label_smoothing, tokens_at_once(run.config));
    fmt::print("{}", evaluation_text(corpus_name(corpus), dataset, found));
  }
}

void evaluate(const Arguments& arguments) {
  if (!arguments.text.empty()) find_run(arguments.runs.front(), TaskKind::language_model);
  if (!arguments.source.empty()) find_run(arguments.runs.front(), TaskKind::translation);
  const bool language_model =
      find_run(arguments.runs.front()).config.task == TaskKind::language_model;
  if (language_model) {
    evaluate_language_model(arguments);
  } else {
    evaluate_translation(arguments);
  }
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
  command->add_option("--text", arguments->text, "Evaluate a language model on this text instead")
      ->type_name("FILE")
      ->excludes(split)
      ->excludes(source);
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
