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
#include "data/files/file.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

namespace fs = std::filesystem;

struct CleanArguments {
  std::string source, target, to;
  std::vector<std::string> off;
  bool force = false, no_repair = false;
  CleanOptions options;
};

// "train.en" and "train.de.gz" become "clean.en" and "clean.de"; names without different suffixes
// become "clean.source" and "clean.target".
std::array<std::string, 2> outputs_of(const CleanArguments& arguments) {
  std::array<std::string, 2> suffixes;
  for (const auto& [suffix, path] :
       {std::pair(&suffixes[0], fs::path(arguments.source)), {&suffixes[1], arguments.target}}) {
    *suffix = (path.extension() == ".gz" ? path.stem() : path).extension().string();
  }
  if (suffixes[0] == suffixes[1] || suffixes[0].empty() || suffixes[1].empty()) {
    suffixes = {".source", ".target"};
  }
  return {arguments.to + suffixes[0], arguments.to + suffixes[1]};
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
  if (report.shifted.count > 0) {
    text += fmt::format("not dropped: {} {}{}\n", report.shifted.count, shifted_pairs,
                        report.shifted.places());
  }
  return text;
}

void clean(const CleanArguments& arguments) {
  const std::array<std::string, 2> paths = outputs_of(arguments);
  for (const std::string& path : paths) {
    if (!arguments.force && fs::exists(path)) {
      fail("{}: already exists; choose another --to, or overwrite it with --force", path);
    }
  }
  CleanOptions options = arguments.options;
  options.repair = !arguments.no_repair;
  for (size_t i = 0; i < rule_texts.size(); ++i) {
    options.rules.off[i] = std::ranges::count(arguments.off, rule_texts[i].name) > 0;
  }
  const Corpus corpus({.place = AlignedFiles{{arguments.source, arguments.target}}});
  NewFile sources(paths[0]), targets(paths[1]);
  std::string source_lines, target_lines;
  const auto write = [&] {
    sources.append(source_lines);
    targets.append(target_lines);
    source_lines.clear();
    target_lines.clear();
  };
  const Progress progress;
  const CleanReport report = clean_corpus(
      corpus, options,
      [&](std::string_view source, std::string_view target) {
        source_lines.append(source) += '\n';
        target_lines.append(target) += '\n';
      },
      [&](int64_t pairs) {
        write();
        progress.show("pairs", pairs);
      });
  progress.end();
  fmt::print("{}", to_text(report));
  if (report.kept == 0) fail("{}: no pair is left; nothing is written", corpus.name());
  sources.finish();
  targets.finish();
  note("wrote {} and {}\n", one_line(paths[0]), one_line(paths[1]));
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
  command->add_option("--source", arguments->source, "Sentences, plain or gzip")
      ->required()
      ->type_name("FILE");
  command->add_option("--target", arguments->target, "Their translations, line by line")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--to", arguments->to,
                   "The files written: PREFIX and the suffixes of the two files")
      ->required()
      ->type_name("PREFIX");
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
                  "--to corpora/clean");
  command->callback([arguments] { clean(*arguments); });
}

}  // namespace calque
