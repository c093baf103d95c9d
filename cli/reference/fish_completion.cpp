// The script for fish: a line for each option and argument. A command is told from others by the
// words before the one that is completed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/reference/completion.h"

namespace calque {

extern const std::string_view fish_completion;  // completion.fish

namespace {

std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// What fish offers for a value.
constexpr ValueTexts fish_offers{.text = "",
                                 .choice = "-a '{}'",
                                 .separator = " ",
                                 .files = "-F",
                                 .folders = "-a '(__fish_complete_directories (commandline -ct))'",
                                 .configs = "-F -a '$__calque_configs'",
                                 .keys = "-a '$__calque_keys'"};

// The same for the value of an option: -r requires one, -x also offers no files.
std::string fish_value(const CommandArgument& option) {
  if (option.kind == ValueKind::none) return "";
  const std::string offers = value_text(option, fish_offers);
  if (offers.empty()) return "-x";
  return (offers.starts_with("-F") ? "-r " : "-x ") + offers;
}

std::string fish_lines(const Command& command) {
  const std::string at =
      fmt::format("complete -c calque -n {}", fish_quoted("__calque_in " + command.path()));
  std::string lines;
  for (const Command& each : command.commands) {
    lines += fmt::format("complete -c calque -n {} -f -a {} -d {}\n",
                         fish_quoted("__calque_at " + command.path()), each.word(),
                         fish_quoted(each.summary));
  }
  for (const CommandArgument& option : command.options) {
    lines += at;
    for (const std::string& name : option.names) {
      lines += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    lines += fmt::format(" {} -d {}\n", fish_value(option), fish_quoted(option.meaning));
  }
  for (const CommandArgument& argument : command.arguments) {
    if (argument.kind == ValueKind::text) continue;
    lines += fmt::format("{} {}\n", at, value_text(argument, fish_offers));
  }
  return lines;
}

}  // namespace

std::string fish_script(const Command& calque) {
  std::string lines;
  for (const Command* command : with_subcommands(calque)) lines += fish_lines(*command);
  const std::pair<std::string_view, std::string> parts[] = {
      {"LINES", lines}, {"CONFIGS", names_of_configs()}, {"KEYS", names_of_keys() + " "}};
  return filled_script(fish_completion, parts);
}

}  // namespace calque
