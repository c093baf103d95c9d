// calque calibrate: learns how far the translations of a run can be trusted.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>

#include "cli/command_line.h"
#include "cli/progress.h"
#include "cli/tasks/task_commands.h"
#include "cli/tasks/translation/split_sources.h"
#include "core/error.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/translation/confidence/confidence.h"
#include "train/tasks/translation/confidence/judgement.h"
#include "train/tasks/translation/settings.h"
#include "train/tasks/translation/split_evaluation.h"

namespace calque {
namespace {

struct CalibrateArguments {
  std::string run, split = "validation";
};

// The words of the translations of all corpora of the split, sentence by sentence; a run in several
// languages has one calibration for all of them.
std::vector<std::vector<JudgedWord>> judge_split(const TranslationRun& run,
                                                 const std::string& split) {
  const std::vector<CorpusSource> corpora = sources_of_split(run.config, split, "--split");
  const ParallelTexts texts = read_texts(corpora, 0, run.config.data);
  TranslationOptions options = translation_options(run.config.decoding);
  options.n_best = 1;
  const Progress progress;
  const std::vector<std::string> translations = translate_split(
      {run}, texts, options, [&](int64_t sentences) { progress.show("sentences", sentences); });
  progress.end();
  if (texts.parts.empty()) {
    return judged_words(run, texts.sources, translations, texts.references);
  }
  std::vector<std::vector<JudgedWord>> all;
  for (const ParallelTexts::Part& part : texts.parts) {
    TranslationRun own = run;
    own.tokenizers.before_source = own.tokenizers.marked(part.mark);
    const auto slice = [&part](const std::vector<std::string>& lines) {
      const auto begin = lines.begin();
      return std::vector(begin + static_cast<std::ptrdiff_t>(part.begin),
                         begin + static_cast<std::ptrdiff_t>(part.end));
    };
    std::ranges::move(
        judged_words(own, slice(texts.sources), slice(translations), slice(texts.references)),
        std::back_inserter(all));
  }
  return all;
}

void calibrate(const CalibrateArguments& arguments) {
  require_task("calque calibrate", arguments.run, {TaskKind::translation});
  const TranslationRun run = open_translation_run({arguments.run, {}}, std::nullopt);
  const std::vector<std::vector<JudgedWord>> sentences = judge_split(run, arguments.split);
  const std::vector<JudgedWord> words = joined(sentences);
  constexpr size_t fewest = 500;
  if (words.size() < fewest) {
    fail("--split {}: the translations have {} words; a calibration needs {}", arguments.split,
         words.size(), fewest);
  }
  save_calibration(run, Calibration::fit(words));
  fmt::print("{}: {}\nhalf of the sentences by the other half: {}\n", arguments.split,
             run.folder.confidence(), cross_validated(sentences).text());
}

}  // namespace

void add_calibrate_command(CLI::App& calque) {
  const auto arguments = std::make_shared<CalibrateArguments>();
  CLI::App* command = calque.add_subcommand(
      "calibrate", "Learn how far the translations of a run can be trusted, word by word");
  add_run(command, arguments->run);
  command
      ->add_option("--split", arguments->split,
                   "Sentences with references: validation, or the name of a test corpus (default: "
                   "validation)")
      ->type_name("NAME");
  add_threads(command);
  command->footer(
      "Translates the split, compares the words with the references and writes "
      "RUN/confidence.json,\n"
      "for calque translate --confidence and the server. It is for the weights that RUN names.\n"
      "Example: calque calibrate runs/toy\n"
      "         calque translate runs/toy --confidence < test.de");
  command->callback([arguments] { calibrate(*arguments); });
}

}  // namespace calque
