// calque completion: a script for a shell. calque reference: all files below share/ that are made
// from the command table, for packages.
#include "cli/reference/completion.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/reference/man_pages.h"
#include "data/files/file.h"

namespace calque {
namespace {

void write_below(const std::filesystem::path& folder, const std::filesystem::path& place,
                 const std::string& text) {
  std::filesystem::create_directories((folder / place).parent_path());
  NewFile file((folder / place).string());
  file.append(text);
  file.finish();
}

void write_reference(const std::string& folder, const Command& calque) {
  for (const ManPage& page : man_pages(calque, CALQUE_VERSION)) {
    write_below(folder, "man/man1/" + page.name + ".1", page.text);
  }
  for (const CompletionShell& shell : completion_shells) {
    write_below(folder, shell.place, shell.script(calque));
  }
}

}  // namespace

void add_completion_command(CLI::App& calque) {
  const auto name = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const CompletionShell& shell : completion_shells) names.emplace_back(shell.name);
  CLI::App* command =
      calque.add_subcommand("completion", "Print the script that completes commands in a shell");
  command->add_option("SHELL", *name, "The shell")
      ->required()
      ->check(CLI::IsMember(names))
      ->type_name("");
  command->footer(
      "Examples: source <(calque completion bash)\n"
      "          calque completion fish > ~/.config/fish/completions/calque.fish");
  command->callback([name, &calque] {
    for (const CompletionShell& shell : completion_shells) {
      if (shell.name == *name) write_output(shell.script(command_table(calque)));
    }
  });

  const auto folder = std::make_shared<std::string>();
  CLI::App* reference = calque.add_subcommand(
      "reference", "Write the manual pages and the completion scripts, for packages");
  reference->group("");  // hidden
  reference->add_option("DIR", *folder, "The folder")->required()->type_name("");
  reference->callback([folder, &calque] { write_reference(*folder, command_table(calque)); });
}

}  // namespace calque
