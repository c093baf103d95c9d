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

// What follows -r: the option has a value.
std::string fish_value(const CommandArgument& argument) {
  switch (argument.kind) {
    case ValueKind::none:
      return "";
    case ValueKind::text:
      return "-x";
    case ValueKind::choice:
      return fmt::format("-x -a '{}'", fmt::join(argument.choices, " "));
    case ValueKind::files:
      return "-r -F";
    case ValueKind::folders:
      return "-x -a '(__fish_complete_directories (commandline -ct))'";
    case ValueKind::configs:
      return "-F -a '$__calque_configs'";
    case ValueKind::keys:
      return "-x -a '$__calque_keys'";
  }
  return "";
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
    std::string value = fish_value(argument);
    value = value.substr(value.find(' ') + 1);  // without -r or -x, which are for options
    if (argument.kind == ValueKind::configs) value = fish_value(argument);
    lines += fmt::format("{} {}\n", at, value);
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
