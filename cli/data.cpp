// calque data: corpora to look at. `check` reads everything that a run would read and reports;
// the toy languages can be written out as ordinary corpus files.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "core/error.h"
#include "data/corpus_check.h"
#include "data/document_dataset.h"
#include "data/file.h"
#include "data/toy/toy.h"
#include "train/tasks/language_model/settings.h"
#include "train/tasks/language_model/tokenizer.h"
#include "train/tasks/registry.h"
#include "train/tasks/translation/settings.h"
#include "train/tasks/translation/tokenizers.h"

namespace calque {
namespace {

struct CheckArguments {
  std::string config;
  std::vector<std::string> settings;
};

// What there is of each split, and what of it is dropped.
void check_texts(const Config& config) {
  const Tokenizer tokenizer = open_text_tokenizer(config, {}, {TaskStart::Purpose::plan});
  const auto check = [&](const char* name, const Corpora& corpora, CorpusConfig::Split split) {
    if (corpora.empty()) return;
    const Dataset dataset = load_documents(document_sources(corpora, config.data, split), tokenizer,
                                           {.invalid = filter_options(config.data).invalid});
    const TextSize& size = dataset.sizes.front();
    fmt::print("{}: {} documents, {} tokens, {} characters, {} bytes; dropped: {}\n", name,
               dataset.examples(), dataset.tokens->tokens(), size.characters, size.bytes,
               dataset.drops.text());
  };
  check("train", config.data.train, CorpusConfig::Split::train);
  check("validation", config.data.validation, CorpusConfig::Split::validation);
  check("test", config.data.test, CorpusConfig::Split::test);
  fmt::print("vocabulary: {}\n", tokenizer.size());
}

void check(const CheckArguments& arguments) {
  const Config config = load_task_config(arguments.config, arguments.settings).config;
  if (config.task == TaskKind::language_model) return check_texts(config);
  const DataConfig& data = config.data;
  std::vector<SplitSource> splits;
  splits.push_back({"train", corpus_sources(data.train, data, CorpusConfig::Split::train)});
  if (!data.validation.empty()) {
    splits.push_back({"validation",
                      corpus_sources(data.validation, data, CorpusConfig::Split::validation),
                      false});
  }
  for (const CorpusConfig& corpus : data.test) {
    splits.push_back(
        {corpus_name(corpus), corpus_sources({corpus}, data, CorpusConfig::Split::test), false});
  }
  const Tokenizers tokenizers = make_tokenizers(config);
  const CheckReport report =
      check_corpora(splits, tokenizers.source, tokenizers.target, filter_options(data));
  fmt::print("{}", to_text(report));
  if (!report.sound()) throw CLI::RuntimeError(1);
}

struct ToyArguments {
  std::string split = "train", out = ".";
  int64_t pairs = 1000;
  uint64_t seed = 1;
};

void write_lines(const std::string& path, const std::vector<SentencePair>& pairs,
                 std::string SentencePair::*side) {
  NewFile file(path);
  for (const SentencePair& pair : pairs) file.append(pair.*side + '\n');
  file.finish();
}

void write_toy(const std::string& name, const ToyArguments& arguments) {
  const ToyLanguage language = ToyLanguage::named(name);
  const auto pairs = language.pairs(split_named(arguments.split), arguments.pairs, arguments.seed);
  std::error_code problem;
  std::filesystem::create_directories(arguments.out, problem);
  if (problem) fail("{}: cannot be made: {}", arguments.out, problem.message());
  const std::string prefix = arguments.out + "/" + arguments.split + ".";
  const std::string source = prefix + language.source_language();
  const std::string target = prefix + language.target_language();
  for (const std::string& path : {source, target}) {
    if (std::filesystem::exists(path)) fail("{}: exists already; choose another --out", path);
  }
  write_lines(source, pairs, &SentencePair::first);
  write_lines(target, pairs, &SentencePair::second);
  fmt::print("{} pairs in {} and {}\n", pairs.size(), source, target);
}

void add_check(CLI::App& data) {
  const auto arguments = std::make_shared<CheckArguments>();
  CLI::App* command = data.add_subcommand(
      "check", "Read all that a run would read: lengths, drops, unknown words, suspicions");
  command->add_option("CONFIG", arguments->config, "The config file")->required();
  add_settings(command, arguments->settings);
  command->footer(
      "Example: calque data check configs/toy.yaml\n"
      "Exit status 1 if something would stop a run or is probably not meant.");
  command->callback([arguments] { check(*arguments); });
}

void add_toy(CLI::App& data, const std::string& name) {
  const auto arguments = std::make_shared<ToyArguments>();
  CLI::App* command = data.add_subcommand(name, "Write pairs of the toy language " + name);
  command->add_option("--split", arguments->split, "train, validation, test or compositional")
      ->capture_default_str()
      ->check(CLI::IsMember({"train", "validation", "test", "compositional"}))
      ->type_name("NAME");
  command->add_option("--pairs", arguments->pairs, "How many")
      ->capture_default_str()
      ->check(whole_number(1, 1'000'000'000))
      ->type_name("N");
  command->add_option("--seed", arguments->seed, "Another seed, other pairs")
      ->capture_default_str()
      ->check(whole_number(0))
      ->type_name("N");
  command->add_option("--out", arguments->out, "Folder for the two files, which must not be there")
      ->capture_default_str()
      ->type_name("DIR");
  command->footer("Example: calque data " + name + " --split train --pairs 100000 --out corpora");
  command->callback([arguments, name] { write_toy(name, *arguments); });
}

}  // namespace

void add_data_command(CLI::App& calque) {
  CLI::App* data = calque.add_subcommand("data", "Check corpora, or write those of toy languages");
  data->require_subcommand(1);
  data->footer("Example: calque data check configs/toy.yaml");
  add_check(*data);
  for (const std::string& name : ToyLanguage::names()) add_toy(*data, name);
}

}  // namespace calque
