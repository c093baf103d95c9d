// calque data: checks the corpora of a config, cleans corpora, and writes those of the toy
// languages.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/tasks/task_commands.h"
#include "core/error.h"
#include "data/files/file.h"
#include "data/toy/toy.h"
#include "train/tasks/registry.h"

namespace calque {
namespace {

struct CheckArguments {
  std::string config;
  std::vector<std::string> settings;
};

void check(const CheckArguments& arguments) {
  const Config config = load_task_config(arguments.config, arguments.settings).config;
  commands_of(config.task).check_data(config);
}

struct ToyArguments {
  std::string split = "train", out = ".", prompt;
  int64_t pairs = 1000;
  uint64_t seed = 1;
  SymbolOptions symbols;
};

void write_lines(const std::string& path, const std::vector<SentencePair>& pairs,
                 std::string SentencePair::*side) {
  NewFile file(path);
  for (const SentencePair& pair : pairs) file.append(pair.*side + '\n');
  file.finish();
}

constexpr std::string_view place_of_source = "{}";

// Lines of data/conversations/: the prompt with the source, and the target.
void write_conversations(const std::string& path, const std::vector<SentencePair>& pairs,
                         const std::string& prompt) {
  const size_t at = prompt.find(place_of_source);
  NewFile file(path);
  for (const auto& [source, target] : pairs) {
    std::string question = prompt;
    question.replace(at, place_of_source.size(), source);
    const nlohmann::ordered_json line = {{"prompt", question}, {"completion", " " + target}};
    file.append(line.dump() + '\n');
  }
  file.finish();
}

void require_new(const std::string& path) {
  if (std::filesystem::exists(path)) fail("{}: already exists; choose another --out", path);
}

void write_toy(const std::string& name, const ToyArguments& arguments) {
  if (!arguments.prompt.empty() && arguments.prompt.find(place_of_source) == std::string::npos) {
    wrong_command_line("--prompt: has no {}, the place of the source");
  }
  const ToyLanguage language = ToyLanguage::named(name, arguments.symbols);
  const auto pairs = language.pairs(split_named(arguments.split), arguments.pairs, arguments.seed);
  std::error_code problem;
  std::filesystem::create_directories(arguments.out, problem);
  if (problem) fail("{}: cannot be created: {}", arguments.out, problem.message());
  const std::string prefix = arguments.out + "/" + arguments.split + ".";
  if (!arguments.prompt.empty()) {
    const std::string path = prefix + "jsonl";
    require_new(path);
    write_conversations(path, pairs, arguments.prompt);
    return fmt::print("{} conversations in {}\n", pairs.size(), path);
  }
  const std::string source = prefix + language.source_language();
  const std::string target = prefix + language.target_language();
  require_new(source);
  require_new(target);
  write_lines(source, pairs, &SentencePair::first);
  write_lines(target, pairs, &SentencePair::second);
  fmt::print("{} pairs in {} and {}\n", pairs.size(), source, target);
}

void add_check(CLI::App& data) {
  const auto arguments = std::make_shared<CheckArguments>();
  CLI::App* command = data.add_subcommand(
      "check",
      "Read all corpora of a run and report lengths, dropped examples, unknown words and problems");
  add_config(command, arguments->config)->required();
  add_settings(command, arguments->settings);
  command->footer(
      "Exits with status 1 if it finds an error that would stop a run, or a likely mistake.\n"
      "Example: calque data check toy");
  command->callback([arguments] { check(*arguments); });
}

void add_toy(CLI::App& data, const std::string& name) {
  const auto arguments = std::make_shared<ToyArguments>();
  CLI::App* command = data.add_subcommand(name, "Write pairs of the toy language " + name);
  command->add_option("--split", arguments->split, "train, validation, test or compositional")
      ->capture_default_str()
      ->check(CLI::IsMember({"train", "validation", "test", "compositional"}))
      ->type_name("NAME");
  command->add_option("--pairs", arguments->pairs, "The number of pairs")
      ->capture_default_str()
      ->check(whole_number(1, 1'000'000'000))
      ->type_name("N");
  command->add_option("--seed", arguments->seed, "Determines which pairs are drawn")
      ->capture_default_str()
      ->check(whole_number(0))
      ->type_name("N");
  if (!name.starts_with("toy-")) {
    SymbolOptions& symbols = arguments->symbols;
    command->add_option("--shortest", symbols.shortest, "The minimum number of symbols in a line")
        ->capture_default_str()
        ->check(whole_number(1, 10'000))
        ->type_name("N");
    command->add_option("--longest", symbols.longest, "The maximum number of symbols in a line")
        ->capture_default_str()
        ->check(whole_number(1, 10'000))
        ->type_name("N");
  }
  command
      ->add_option("--prompt", arguments->prompt,
                   "Write SPLIT.jsonl, conversations for a language model: TEXT with the source in "
                   "place of {}, and the target as the answer")
      ->type_name("TEXT");
  command->add_option("--out", arguments->out, "Folder for the files; none may exist yet")
      ->capture_default_str()
      ->type_name("DIR");
  command->footer("Example: calque data " + name + " --split train --pairs 100000 --out corpora");
  command->callback([arguments, name] { write_toy(name, *arguments); });
}

}  // namespace

void add_data_command(CLI::App& calque) {
  CLI::App* data =
      calque.add_subcommand("data", "Check or clean corpora, or write corpora of toy languages");
  data->require_subcommand(1);
  data->footer("Example: calque data check toy");
  add_check(*data);
  add_clean_command(*data);
  add_sentences_command(*data);
  add_turns_command(*data);
  for (const std::string& name : ToyLanguage::names()) add_toy(*data, name);
}

}  // namespace calque
