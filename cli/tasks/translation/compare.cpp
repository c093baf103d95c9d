// calque compare: systems against a baseline on one test set, with significance tests and the
// sentences that differ most.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>

#include "cli/command_line.h"
#include "cli/decoding_arguments.h"
#include "cli/language_arguments.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/tasks/task_commands.h"
#include "core/error.h"
#include "train/metrics/system_comparison.h"
#include "train/metrics/test_set.h"
#include "train/tasks/translation/settings.h"
#include "train/tasks/translation/split_evaluation.h"

namespace calque {
namespace {

struct CompareArguments {
  std::vector<std::string> systems;  // files or runs
  std::vector<std::string> references;
  std::string source, split = "test", tokenize;
  std::optional<Precision> precision;
  LanguageChoice languages;
  DecodingChoice decoding;
  int samples = 0;  // 0: as many as calque bleu
  SystemComparisonOptions options;
  bool json = false;
};

bool is_run(const std::string& system) { return std::filesystem::is_directory(system); }

std::vector<std::string> read_as_many(const std::string& path, const std::string& other,
                                      size_t count) {
  std::vector<std::string> lines = read_segments(path);
  if (lines.size() == count) return lines;
  fail("{} has {} lines, but {} has {}; they must correspond line by line", path, lines.size(),
       other, count);
}

TestSet read_test_set(const CompareArguments& arguments) {
  TestSet test;
  const std::string& first = arguments.references.front();
  test.references.push_back(read_segments(first));
  const size_t count = test.references[0].size();
  if (count == 0) fail("{}: has no lines", first);  // standard input
  for (const std::string& path : std::span(arguments.references).subspan(1)) {
    test.references.push_back(read_as_many(path, first, count));
  }
  if (!arguments.source.empty()) test.sources = read_as_many(arguments.source, first, count);
  for (size_t i = 0; i < count; ++i) test.places.push_back(fmt::format("sentence {}", i + 1));
  return test;
}

// The corpora of a split of a run; of a multilingual run, those into the target language.
TestSet split_of_run(const std::string& run, const std::string& split,
                     const LanguageChoice& languages) {
  const Config config = find_run(run).config;
  std::vector<CorpusSource> corpora;
  for (const auto& [corpus, part] : corpora_of_split(config, split, "--source and --reference")) {
    std::ranges::move(corpus_sources({corpus}, config.data, part), std::back_inserter(corpora));
  }
  if (config.data.multilingual) {
    std::erase_if(corpora, [&](const CorpusSource& corpus) {
      const std::string pair = LanguagePair{languages.from, languages.to}.name();
      return corpus.mark != language_token(languages.to) ||
             (!languages.from.empty() && corpus.pair != pair);
    });
    if (corpora.empty())
      fail("--split {}: has no corpus in the languages of --to and --from", split);
  }
  ParallelTexts texts = read_texts(corpora, 0, config.data);
  if (texts.sources.empty()) fail("--split {}: has no pair", split);
  return {std::move(texts.sources), std::move(texts.places), {std::move(texts.references)}};
}

std::vector<std::string> translations_by(const std::string& path, const CompareArguments& arguments,
                                         const TestSet& test) {
  std::vector<TranslationRun> runs =
      open_translation_runs({{path, arguments.precision}}, arguments.languages);
  const DecodingConfig decoding = decoding_of(runs.front(), arguments.decoding);
  const Progress progress;
  std::vector<std::string> outputs =
      translate_split(runs, {test.sources, {}, test.places}, text_search(decoding),
                      [&](int64_t sentences) { progress.show("sentences", sentences); });
  progress.end();
  return outputs;
}

// The outputs of all systems. Files come first, because a run takes time.
std::vector<System> read_systems(const CompareArguments& arguments, const TestSet& test) {
  const std::string test_name =
      arguments.references.empty() ? "--split " + arguments.split : arguments.references.front();
  std::vector<System> systems;
  for (const std::string& path : arguments.systems) {
    systems.push_back({.name = path, .outputs = {}});
    if (is_run(path)) continue;
    systems.back().outputs = read_as_many(path, test_name, test.places.size());
    const std::string warning = tokenized_warning(systems.back().outputs, arguments.options.bleu);
    if (!warning.empty()) note("calque: {}: {}\n", path, warning);
  }
  for (System& system : systems) {
    if (is_run(system.name)) system.outputs = translations_by(system.name, arguments, test);
  }
  return systems;
}

// Checks what concerns several arguments together.
void check_systems(const CompareArguments& arguments) {
  const auto& systems = arguments.systems;
  const auto run = std::ranges::find_if(systems, is_run);
  if (systems.size() < 2) wrong_command_line("give two systems or more: files or runs");
  for (const std::string& system : systems) {
    if (is_run(system)) require_task("calque compare", system, {TaskKind::translation});
  }
  if (run == systems.end()) {
    if (arguments.references.empty()) wrong_command_line("files need --reference");
    if (!arguments.decoding.settings.empty() || arguments.decoding.beam > 0) {
      wrong_command_line("--beam and --set need a run");
    }
  } else if (!arguments.references.empty() && arguments.source.empty()) {
    wrong_command_line(fmt::format("{} is a run; give --source with --reference", *run));
  }
  const std::vector<std::string>* const lists[] = {&systems, &arguments.references};
  int64_t standard_inputs = arguments.source == "-" ? 1 : 0;
  for (const auto* list : lists) standard_inputs += std::ranges::count(*list, "-");
  if (standard_inputs > 1) wrong_command_line("only one of the files can be standard input");
}

void compare_all(CompareArguments arguments) {
  check_systems(arguments);
  SystemComparisonOptions& options = arguments.options;
  const auto run = std::ranges::find_if(arguments.systems, is_run);
  if (run != arguments.systems.end()) {
    const Config config = find_run(*run).config;
    options.bleu = bleu_options(config);
    options.chrf = chrf_options(config);
  }
  if (!arguments.tokenize.empty()) {
    options.bleu.tokenization = parse_tokenization(arguments.tokenize);
  }
  const bool bootstrap = options.test == PairedTest::bootstrap;
  options.resampling.samples = arguments.samples > 0 ? arguments.samples : bootstrap ? 1000 : 10000;
  const TestSet test = arguments.references.empty()
                           ? split_of_run(*run, arguments.split, arguments.languages)
                           : read_test_set(arguments);
  const std::vector<System> systems = read_systems(arguments, test);
  const SystemComparison comparison = compare_systems(systems, test, options);
  fmt::print("{}", arguments.json ? to_json(comparison, systems, test, options)
                                  : to_text(comparison, systems, test, options));
}

void add_test_options(CLI::App& command, CompareArguments& arguments) {
  command
      .add_option_function<std::string>(
          "--paired-test",
          [&arguments](const std::string& name) {
            arguments.options.test =
                name == "bootstrap" ? PairedTest::bootstrap : PairedTest::randomization;
          },
          "The significance test: bootstrap (default) or randomization")
      ->check(CLI::IsMember({"bootstrap", "randomization"}))
      ->type_name("HOW");
  command
      .add_option("--samples", arguments.samples,
                  "Number of random test sets (default: 1000; 10000 for randomization)")
      ->check(whole_number(2, 10000000))
      ->type_name("N");
  command.add_option("--seed", arguments.options.resampling.seed, "Seed of the random test sets")
      ->capture_default_str()
      ->check(whole_number(0))
      ->type_name("N");
  command
      .add_option("--examples", arguments.options.examples,
                  "Show the N sentences that are better by the most chrF, and the N that are worse")
      ->capture_default_str()
      ->check(whole_number(0))
      ->type_name("N");
  command.add_option("--width", arguments.options.decimals, "Number of decimals of the scores")
      ->capture_default_str()
      ->check(whole_number(0, 15))
      ->type_name("N");
  command.add_flag("--json", arguments.json, "Write JSON, with all digits");
}

}  // namespace

void add_compare_command(CLI::App& calque) {
  const auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command = calque.add_subcommand("compare", "Compare translation systems on a test set");
  command
      ->add_option("SYSTEM", arguments->systems,
                   "The baseline and the systems to compare with it: files of translations, one "
                   "per line, or runs")
      ->required()
      ->type_name("");
  CLI::Option* reference =
      command
          ->add_option("-r,--reference", arguments->references,
                       "The reference translations, one per line; may be repeated")
          ->type_name("FILE")
          ->allow_extra_args(false);
  CLI::Option* source =
      command
          ->add_option("--source", arguments->source,
                       "The sentences, for runs to translate and to show with examples")
          ->type_name("FILE")
          ->needs(reference);
  command
      ->add_option("--split", arguments->split,
                   "Without --reference: the split of the first run's config, as in calque "
                   "evaluate (default: test)")
      ->type_name("NAME")
      ->excludes(reference)
      ->excludes(source);
  command
      ->add_option("--tokenize", arguments->tokenize,
                   "How BLEU splits words: 13a, intl, char or none (default: the first run's "
                   "config, or 13a)")
      ->check(CLI::IsMember({"13a", "intl", "char", "none"}))
      ->type_name("HOW");
  add_test_options(*command, *arguments);
  add_target_language(command, arguments->languages);
  add_source_language(command, arguments->languages);
  add_beam(command, arguments->decoding.beam);
  add_decoding_settings(command, arguments->decoding.settings);
  add_precision(command, arguments->precision);
  add_threads(command);
  command->footer(
      "Prints BLEU, chrF and TER of each system with a 95% interval, the difference from the\n"
      "baseline and its p-value; * marks p < 0.05.\n"
      "Examples: calque compare old.de new.de --reference test.de --source test.en\n"
      "          calque compare runs/old runs/new --split test");
  arguments->decoding.n_best = 1;
  command->callback([arguments] { compare_all(*arguments); });
}

}  // namespace calque
