// What evaluate, score, explain and data check do with runs of task: translation.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/command_line.h"
#include "cli/progress.h"
#include "cli/result_file.h"
#include "cli/tasks/task_commands.h"
#include "cli/tasks/translation/glossary_option.h"
#include "core/error.h"
#include "data/datasets/check.h"
#include "data/files/packed_files.h"
#include "data/files/text_lines.h"
#include "train/metrics/translation/bleu_by_length.h"
#include "train/tasks/translation/confidence/confidence.h"
#include "train/tasks/translation/confidence/judgement.h"
#include "train/tasks/translation/scoring.h"
#include "train/tasks/translation/sentence_explanation.h"
#include "train/tasks/translation/settings.h"
#include "train/tasks/translation/split_evaluation.h"

namespace calque {

void add_translate_command(CLI::App& calque);  // translate.cpp
void add_compare_command(CLI::App& calque);    // compare.cpp
void add_calibrate_command(CLI::App& calque);  // calibrate.cpp
void add_shortlist_command(CLI::App& calque);  // shortlist.cpp
namespace {

// The commands that drop what the check found in the training data; one for both directions of a
// corpus.
void name_cleaning(const std::vector<CorpusSource>& corpora) {
  std::set<std::set<std::string>> named;
  for (const CorpusSource& corpus : corpora) {
    const auto* files = std::get_if<AlignedFiles>(&corpus.place);
    if (!files || !named.emplace(files->paths.begin(), files->paths.end()).second) continue;
    std::filesystem::path to = plain_name(files->paths[0]);
    fmt::print("'calque data clean --source {} --target {} --to {}' drops them\n", files->paths[0],
               files->paths[1], to.replace_extension("clean").string());
  }
}

void check_translation_data(const Config& config) {
  const DataConfig& data = config.data;
  const auto split = [&](const std::string& name, const Corpora& corpora,
                         CorpusConfig::Split part) -> SplitSource {
    return {name, corpus_sources(corpora, data, part), part == CorpusConfig::Split::train};
  };
  std::vector<SplitSource> splits = {split("train", data.train, CorpusConfig::Split::train)};
  if (!data.validation.empty()) {
    splits.push_back(split("validation", data.validation, CorpusConfig::Split::validation));
  }
  for (const CorpusConfig& corpus : data.test) {
    splits.push_back(split(corpus_name(corpus), {corpus}, CorpusConfig::Split::test));
  }
  const Tokenizers tokenizers = make_tokenizers(config);
  const CheckReport report =
      check_corpora(splits, tokenizers.source, tokenizers.target, filter_options(data));
  fmt::print("{}", to_text(report));
  for (const SplitReport& each : report.splits) {
    if (each.name == splits.front().name && can_be_cleaned(each)) name_cleaning(splits[0].corpora);
  }
  if (!report.sound()) throw CLI::RuntimeError(1);
}

// The files that COMET's and MT-Telescope's commands read: a line for each segment.
class CometFiles {
 public:
  void add(const SplitResult& result) {
    append(sources_, result.sources);
    append(translations_, result.outputs);
    append(references_, result.references);
  }

  void write(const std::string& folder) const {
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem) fail("{}: cannot be created: {}", folder, problem.message());
    const std::string source = folder + "/source.txt", translation = folder + "/translation.txt",
                      reference = folder + "/reference.txt";
    write_result(source, sources_);
    write_result(translation, translations_);
    write_result(reference, references_);
    fmt::print("comet-score -s {} -t {} -r {}\n", source, translation, reference);
  }

 private:
  // Python also ends a line at a carriage return.
  static void append(std::string& lines, std::vector<std::string> texts) {
    for (std::string& text : texts) {
      std::ranges::replace(text, '\r', ' ');
      lines += text + '\n';
    }
  }

  std::string sources_, translations_, references_;
};

// The corpora to evaluate on with their names; of a multilingual run, one for each direction. Files
// are in these languages.
std::vector<std::pair<std::string, CorpusSource>> named_corpora(
    const std::vector<CorpusOfSplit>& corpora, const DataConfig& data,
    const LanguagePair& of_files) {
  std::vector<std::pair<std::string, CorpusSource>> named;
  for (auto [corpus, split] : corpora) {
    if (data.multilingual && corpus.languages.empty()) {
      corpus.languages = {of_files.source.empty() ? "src" : of_files.source, of_files.target};
    }
    for (CorpusSource& source : corpus_sources({corpus}, data, split)) {
      std::string name = corpus_name(corpus);
      if (!source.pair.empty()) name += " (" + source.pair + ")";
      named.emplace_back(std::move(name), std::move(source));
    }
  }
  return named;
}

void evaluate_translation(const EvaluateArguments& arguments,
                          const std::vector<CorpusOfSplit>& corpora) {
  // The corpora of a multilingual run have languages of their own, files those of the options.
  const bool of_files = arguments.files != CorpusConfig();
  std::vector<TranslationRun> runs =
      open_translation_runs(places(arguments.runs, arguments.precision),
                            of_files ? std::optional(arguments.languages) : std::nullopt);
  Config& config = runs.front().config;
  config.decoding = decoding_of(runs.front(), arguments.decoding);
  BleuOptions bleu = bleu_options(config);
  if (!arguments.tokenize.empty()) bleu.tokenization = parse_tokenization(arguments.tokenize);
  TextSearch search = text_search(config.decoding);
  search.terms = term_use_of(arguments.glossary, runs, config.decoding);
  for (const TranslationRun& run : runs) fmt::print("{}, step {}\n", run.checkpoint, run.step);
  std::optional<Calibration> calibration;
  if (runs.size() == 1) calibration = stored_calibration(runs.front());
  std::string translations;
  CometFiles comet;
  std::vector<SplitResult> results;
  for (const auto& [name, corpus] : named_corpora(corpora, config.data, runs.front().languages)) {
    const Progress progress;
    const SplitResult& result = results.emplace_back(
        evaluate_corpus(runs, name, corpus, search, bleu,
                        [&](int64_t sentences) { progress.show("sentences", sentences); }));
    progress.end();
    fmt::print("{}", to_text(result, arguments.samples));
    if (arguments.by_length) {
      fmt::print("{}",
                 to_text(bleu_by_length(result.sources, result.outputs, result.references, bleu)));
    }
    if (calibration) {
      const auto judged =
          judged_words(runs.front(), result.sources, result.outputs, result.references);
      fmt::print("  confidence: {}\n", report_on(*calibration, judged).text());
    }
    for (const std::string& output : result.outputs) translations += output + '\n';
    comet.add(result);
  }
  if (config.data.multilingual) fmt::print("{}", mean_text(results));
  if (!arguments.output.empty()) write_result(arguments.output, translations);
  if (!arguments.comet.empty()) comet.write(without_slash(arguments.comet));
}

void score_translation(const ScoreArguments& arguments) {
  constexpr int64_t lines_at_once = 2000;
  const TranslationRun run = open_translation_run(arguments.run, arguments.languages);
  const TextLines source(arguments.source), target(arguments.target);
  if (source.count() != target.count()) {
    fail("{} has {} lines, but {} has {}; line n of one belongs to line n of the other",
         source.path(), source.count(), target.path(), target.count());
  }
  for (int64_t first = 0; first < source.count(); first += lines_at_once) {
    const auto lines = [&](const TextLines& text) {
      std::vector<std::string> some;
      const int64_t end = std::min(text.count(), first + lines_at_once);
      for (int64_t i = first; i < end; ++i) some.push_back(text.line(i));
      return some;
    };
    const auto place = [&](PairSide side, size_t pair) {
      return (side == PairSide::source ? source : target).where(first + static_cast<int64_t>(pair));
    };
    for (const SequenceScore& pair : score_texts(run, lines(source), lines(target), place)) {
      fmt::print("{}", score_line(pair.log_probability, pair.tokens));
    }
  }
}

std::string explain_translation(const ExplainArguments& arguments) {
  const TranslationRun run = open_translation_run(arguments.run, arguments.languages);
  return explanation_text(
      explain_sentence(run, arguments.text, decoding_of(run, arguments.decoding)), arguments.form);
}

void add_translation_commands(CLI::App& calque) {
  add_translate_command(calque);
  add_compare_command(calque);
  add_calibrate_command(calque);
  add_shortlist_command(calque);
}

}  // namespace

extern const TaskCommands translation_commands;
const TaskCommands translation_commands = {
    .task = TaskKind::translation,
    .files_to_evaluate = "--source and --target",
    .check_data = check_translation_data,
    .evaluate = evaluate_translation,
    .score = score_translation,
    .explain = explain_translation,
    .add_commands = add_translation_commands,
};

}  // namespace calque
