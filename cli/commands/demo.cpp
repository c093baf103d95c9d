// calque demo: trains the toy translator and evaluates it on unseen sentences, by commands of
// calque, each of which it prints.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "train/storage/run_folder.h"

namespace calque {
namespace {

struct DemoArguments {
  std::string run = "runs/demo";
  std::vector<std::string> settings;
  int threads = 0;
};

using Words = std::vector<std::string>;

void run_words(Words words) {
  std::string line = "$ calque";
  for (const std::string& word : words) line += " " + quoted(word);
  fmt::print("{}\n", line);
  finish_output();  // the command may write to standard error
  CLI::App calque("", "calque");
  for (const auto add_command : add_commands) add_command(calque);
  words.insert(words.begin(), "calque");
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  parse_words(calque, static_cast<int>(arguments.size()), arguments.data());
}

void demo(const DemoArguments& arguments) {
  const auto run_command = [&](Words words) {
    if (arguments.threads > 0) {
      words.insert(words.end(), {"--threads", fmt::format("{}", arguments.threads)});
    }
    run_words(std::move(words));
  };
  Words train = {"train", "toy", "--run", arguments.run, "--set", "training.until=exact>=97%"};
  for (const std::string& setting : arguments.settings) {
    train.insert(train.end(), {"--set", setting});
  }
  fmt::print(
      "== training until 97% of the validation sentences are exact (the same command again "
      "resumes)\n");
  run_command(train);
  fmt::print("\n== unseen sentences\n");
  run_command({"evaluate", arguments.run, "--split", "test", "--samples", "5"});
  fmt::print("\n== unseen sentences, in constructions that training never shows\n");
  run_command({"evaluate", arguments.run, "--split", "compositional", "--samples", "3"});
  fmt::print("\n== curves: {}\n", RunFolder{without_slash(arguments.run)}.report());
}

}  // namespace

void add_demo_command(CLI::App& calque) {
  const auto arguments = std::make_shared<DemoArguments>();
  CLI::App* command = calque.add_subcommand(
      "demo", "Train a toy translator in two minutes, and translate unseen sentences");
  command->add_option("RUN", arguments->run, "Folder of the run (default: runs/demo)")
      ->type_name("");
  add_settings(command, arguments->settings);
  command->add_option("--threads", arguments->threads, "Threads (default: all processors)")
      ->check(whole_number(1, 1024))
      ->type_name("N");
  command->footer(
      "The translator goes from English to German in a built-in language; no text is needed.\n"
      "Example: calque demo runs/demo --set training.until=200u");
  command->callback([arguments] { demo(*arguments); });
}

}  // namespace calque
