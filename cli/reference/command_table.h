#pragma once
// The commands of calque with their options and arguments, read from the CLI11 tree that parses the
// command line.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace calque {

// What a shell offers for the value of an option or argument.
enum class ValueKind { none, text, choice, files, folders, configs, keys };

struct CommandArgument {
  std::vector<std::string> names;  // -r, --reference; or RUN for a positional argument
  std::string value;               // such as FILE; the name itself for a positional argument
  std::string meaning;
  std::string default_value;
  std::vector<std::string> choices;
  std::vector<std::string> excludes, needs;  // names of other options
  ValueKind kind = ValueKind::none;
  bool required = false;
  bool repeated = false;
};

struct Command {
  std::string name;  // "calque config check"
  std::string summary;
  std::string footer;
  std::vector<CommandArgument> options, arguments;
  std::vector<Command> commands;

  // The name without "calque ": empty for calque itself.
  std::string path() const;
  // The last word of the name.
  std::string word() const;
};

Command command_table(const CLI::App& calque);

// The command and all below it, depth first.
std::vector<const Command*> with_subcommands(const Command& command);

}  // namespace calque
