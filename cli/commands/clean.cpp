// calque data clean: a parallel corpus without bad pairs.
#include "data/cleaning/clean.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "core/error.h"
#include "data/files/packed_files.h"
#include "data/formats/pair_writer.h"
#include "data/text/utf8.h"
#include "train/tasks/translation/pair_costs.h"

namespace calque {
namespace {

namespace fs = std::filesystem;

struct CleanArguments {
  std::string source, target, file, to;
  std::vector<std::string> languages, off, models;
  bool force = false, no_repair = false;
  CleanOptions options;
};

// "train.en" and "train.de.gz" become "clean.en" and "clean.de"; names without different suffixes
// become "clean.source" and "clean.target". One file has the languages as suffixes.
std::array<std::string, 2> suffixes_of(const CleanArguments& arguments) {
  const auto& languages = arguments.languages;
  if (!arguments.file.empty() && !languages.empty())
    return {"." + languages[0], "." + languages[1]};
  std::array<std::string, 2> suffixes;
  for (const auto& [suffix, path] :
       {std::pair(&suffixes[0], fs::path(arguments.source)), {&suffixes[1], arguments.target}}) {
    *suffix = fs::path(plain_name(path.string())).extension().string();
  }
  if (suffixes[0] == suffixes[1] || suffixes[0].empty() || suffixes[1].empty()) {
    suffixes = {".source", ".target"};
  }
  return suffixes;
}

PairTarget target_of(const CleanArguments& arguments) {
  PairTarget target{arguments.to, suffixes_of(arguments)};
  if (!arguments.languages.empty()) {
    target.languages = {arguments.languages[0], arguments.languages[1]};
  }
  return target;
}

CorpusSource source_of(const CleanArguments& arguments) {
  const std::string& file = arguments.file;
  if (file.empty()) return {.place = AlignedFiles{{arguments.source, arguments.target}}};
  if (!is_file_of_pairs(file)) return {.place = TsvFile{file}};
  if (arguments.languages.empty()) wrong_command_line("--file needs --languages, such as en,de");
  return {.place = FileOfPairs{file, arguments.languages}};
}

// At most 60 characters, without control characters.
std::string excerpt(const std::string& text) {
  constexpr size_t most = 60;
  const std::vector<size_t> borders = character_borders(text);
  if (borders.size() <= most + 1) return one_line(text);
  return one_line(text.substr(0, borders[most])) + "...";
}

std::string to_text(const CleanReport& report) {
  std::string text = fmt::format("{} pairs, {} kept", report.pairs, report.kept);
  if (report.repaired > 0) {
    text += fmt::format("; broken characters repaired in {} of them", report.repaired);
  }
  text += '\n';
  for (size_t i = 0; i < report.dropped.size(); ++i) {
    const Dropped& dropped = report.dropped[i];
    if (dropped.seen.count == 0) continue;
    text += fmt::format("dropped by {}: {} {}{}\n", rule_texts[i].name, dropped.seen.count,
                        dropped.what, dropped.seen.places());
    for (const DroppedPair& example : dropped.examples) {
      text += fmt::format("  {}: {} | {}\n", example.where, excerpt(example.source),
                          excerpt(example.target));
    }
  }
  if (report.usual_cost > 0) {
    text += fmt::format("the models' usual cost of a pair is {:.2f}\n", report.usual_cost);
  }
  if (report.shifted.count > 0) {
    text += fmt::format("not dropped: {} {}{}\n", report.shifted.count, shifted_pairs,
                        report.shifted.places());
  }
  return text;
}

CleanOptions options_of(const CleanArguments& arguments) {
  CleanOptions options = arguments.options;
  options.repair = !arguments.no_repair;
  if (!arguments.models.empty()) {
    LanguageChoice languages;
    if (!arguments.languages.empty()) languages = {arguments.languages[0], arguments.languages[1]};
    options.costs = DualCrossEntropy(arguments.models[0], arguments.models[1], languages);
  }
  for (size_t i = 0; i < rule_texts.size(); ++i) {
    options.rules.off[i] = std::ranges::count(arguments.off, rule_texts[i].name) > 0;
  }
  return options;
}

void clean(const CleanArguments& arguments) {
  if (arguments.file.empty() && (arguments.source.empty() || arguments.target.empty())) {
    wrong_command_line("give --source and --target, or --file");
  }
  const PairTarget target = target_of(arguments);
  const std::vector<std::string> paths = target.paths();
  for (const std::string& path : paths) {
    if (!arguments.force && fs::exists(path)) {
      fail("{}: already exists; choose another --to, or overwrite it with --force", path);
    }
  }
  const Corpus corpus(source_of(arguments));
  const CleanOptions options = options_of(arguments);
  PairWriter writer(target);
  const Progress progress;
  const CleanReport report = clean_corpus(
      corpus, options,
      [&](std::string_view source, std::string_view own) { writer.add(source, own); },
      [&](int64_t pairs) { progress.show("pairs", pairs); });
  progress.end();
  fmt::print("{}", to_text(report));
  if (report.kept == 0) fail("{}: no pair is left; nothing is written", corpus.name());
  writer.finish();
  std::string written = one_line(paths[0]);
  if (paths.size() > 1) written += " and " + one_line(paths[1]);
  note("wrote {}\n", written);
}

std::vector<std::string> optional_rules() {
  std::vector<std::string> names;
  for (auto i = static_cast<size_t>(first_optional); i < rule_texts.size(); ++i) {
    names.emplace_back(rule_texts[i].name);
  }
  return names;
}

std::string rules_text() {
  std::string text = "A pair is dropped by the first rule that it breaks:\n";
  for (const RuleText& rule : rule_texts)
    text += fmt::format("  {:<14} {}\n", rule.name, rule.what);
  return text;
}

}  // namespace

void add_clean_command(CLI::App& data) {
  const auto arguments = std::make_shared<CleanArguments>();
  RuleOptions& rules = arguments->options.rules;
  CLI::App* command =
      data.add_subcommand("clean", "Write a parallel corpus without pairs that are probably bad");
  CLI::Option* source =
      command->add_option("--source", arguments->source, "Sentences, plain, gzip or zstd")
          ->type_name("FILE");
  CLI::Option* target =
      command->add_option("--target", arguments->target, "Their translations, line by line")
          ->type_name("FILE")
          ->needs(source);
  source->needs(target);
  command
      ->add_option("--file", arguments->file,
                   "Pairs in one file: .po, .mo, .tmx, .xlf, or source, tab and target")
      ->excludes(source)
      ->type_name("FILE");
  command
      ->add_option(
          "--languages", arguments->languages,
          "The codes of both languages in the file, and in a .tmx that is written: en,de;\n"
          "also the direction of --models that know several")
      ->delimiter(',')
      ->expected(2)
      ->type_name("SOURCE,TARGET");
  command
      ->add_option("--to", arguments->to,
                   "What is written: NAME.tsv, NAME.tmx, or PREFIX and the suffixes of the two "
                   "files, or the languages")
      ->required()
      ->type_name("PLACE");
  command->add_flag("--force", arguments->force, "Overwrite files that exist");
  command->add_option("--without", arguments->off, "Rules that are not applied: numbers,urls")
      ->delimiter(',')
      ->check(CLI::IsMember(optional_rules()))
      ->type_name("RULES");
  command->add_option("--max-characters", rules.max_characters, "The longest side: rule length")
      ->capture_default_str()
      ->check(whole_number(1))
      ->type_name("N");
  command
      ->add_option(
          "--max-deviation", rules.max_deviation,
          "Rule ratio: the largest deviation from the corpus's usual ratio of the lengths,\n"
          "in standard deviations")
      ->capture_default_str()
      ->check(number(0, 1000))
      ->type_name("X");
  command
      ->add_option("--min-translation", rules.min_translation,
                   "Rule translation: the least score, as a share of the corpus's usual score")
      ->capture_default_str()
      ->check(number(0, 1))
      ->type_name("X");
  CLI::Option* models =
      command->add_option("--models", arguments->models, "Rule models: a run for each direction")
          ->delimiter(',')
          ->expected(2)
          ->type_name("RUN,REVERSE");
  command
      ->add_option("--max-cost", rules.max_cost,
                   "Rule models: the largest cost, as a multiple of the corpus's usual cost")
      ->capture_default_str()
      ->check(number(0, 1000))
      ->needs(models)
      ->type_name("X");
  command->add_flag("--no-repair", arguments->no_repair,
                    "Drop lines with broken characters that could be repaired");
  command
      ->add_option("--examples", arguments->options.examples,
                   "How many dropped pairs to show for each rule")
      ->capture_default_str()
      ->check(whole_number(0, 1000))
      ->type_name("N");
  add_threads(command);
  command->footer(rules_text() +
                  "Lines that are shifted against each other are only reported.\n"
                  "Example: calque data clean --source corpora/train.en --target corpora/train.de "
                  "--to corpora/clean\n"
                  "         calque data clean --file memory.tmx --languages en,de --to clean.tmx");
  command->callback([arguments] { clean(*arguments); });
}

}  // namespace calque
